#!/bin/sh
# Builds a real Ollama, server and CPU runner, for tests:  build.sh OUTPUT-FILE
#
# Needs Go, a C and C++ compiler, and two header libraries that Ollama keeps in
# folders which Go's module archives leave out (Debian: libstb-dev and
# nlohmann-json3-dev; they are installed when missing and this is root). A third
# one is replaced by include/.
#
# Takes about ten minutes of CPU time the first time, then seconds: everything
# is in Go's build cache. With READAHEAD_OLLAMA_BIN set, that binary is linked
# to OUTPUT-FILE instead.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUTPUT-FILE" >&2; exit 2; }
case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
cd "$(dirname "$0")"
here=$PWD
mkdir -p "$(dirname "$out")"

if [ -n "${READAHEAD_OLLAMA_BIN:-}" ]; then
  [ "$READAHEAD_OLLAMA_BIN" -ef "$out" ] || ln -sf "$READAHEAD_OLLAMA_BIN" "$out"
  "$out" --version
  exit
fi

if ! [ -e /usr/include/stb/stb_image.h ] || ! [ -e /usr/include/nlohmann/json.hpp ]; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get -qq update
    apt-get -qq -y install --no-install-recommends libstb-dev nlohmann-json3-dev >/dev/null
  else
    echo "$0: stb_image.h and nlohmann/json.hpp are missing (run: sudo apt-get install libstb-dev nlohmann-json3-dev)" >&2
    exit 1
  fi
fi

# Prompts take 10 to 25 times as long without this machine's vector
# instructions. AMX is left out: its sources are not in Go's build of the module.
flags="-O3"
case $(uname -m) in
x86_64 | amd64)
  flags="$flags -march=native"
  if gcc -march=native -dM -E - </dev/null | grep -q __AMX_; then
    flags="$flags -mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
  fi
  ;;
esac

version=$(go list -m -f '{{.Version}}' github.com/ollama/ollama)
CGO_ENABLED=1 CGO_CFLAGS=$flags CGO_CXXFLAGS=$flags CPATH=$here/include \
  go build -trimpath \
  -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" \
  -o "$out" github.com/ollama/ollama
"$out" --version
