#!/usr/bin/env bash
# Fetches llama.cpp's server, for the tests of completions servers, into a folder of
# its own:
#
#   model/openai/testserver/get-llama.sh DIR     then: DIR/llama-server
#
# It is llama-server 0.7 or later, from Debian's forky suite; 20 MB. Nothing of this
# machine changes, and root is not needed (see .ci/debian.sh). Exit status 3 says
# that it does not work here.
set -euo pipefail
dir=${1:?usage: get-llama.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
. "$(dirname "$0")/../../../.ci/debian.sh"

unpack forky llama.cpp-tools
libraries=$dir/forky/usr/lib/$(cd "$dir/forky/usr/lib" && ls -d -- *-linux-gnu* | head -1)
# It looks for what computes, a library for each kind of processor, beside itself.
ln -sf "$libraries"/ggml/backends*/libggml-cpu-*.so "$dir/forky/usr/bin/"
settle forky usr/bin/llama-server llama-server "LD_LIBRARY_PATH=$libraries:$libraries/llama:$libraries/ggml"
