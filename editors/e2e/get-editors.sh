#!/usr/bin/env bash
# Fetches the editors that the end-to-end tests drive into a folder of their own:
#
#   editors/e2e/get-editors.sh DIR     then: DIR/nvim  DIR/nvim-old  DIR/hx
#
#   nvim, hx    from Debian's forky suite: Neovim 0.12, Helix 25.07
#   nvim-old    from trixie: Neovim 0.10, the oldest that the plugin supports
#
# Nothing of this machine changes, and root is not needed (see .ci/debian.sh). Exit
# status 3 says that it does not work here.
set -euo pipefail
dir=${1:?usage: get-editors.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
. "$(dirname "$0")/../../.ci/debian.sh"

unpack forky neovim hx
settle forky usr/bin/nvim nvim "VIMRUNTIME=$dir/forky/usr/share/nvim/runtime"
settle forky usr/lib/hx/hx hx "HELIX_RUNTIME=$dir/forky/usr/lib/hx/runtime"
unpack trixie neovim
settle trixie usr/bin/nvim nvim-old "VIMRUNTIME=$dir/trixie/usr/share/nvim/runtime"
