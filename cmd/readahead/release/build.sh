#!/usr/bin/env bash
# Builds release binaries that depend on the source, the Go version and the C
# compiler alone: not on the folder, the user, the time or the state of git.
#
#   cmd/readahead/release/build.sh OUT VERSION [TARGET...]
#
# puts OUT/readahead_VERSION_TARGET[.exe] and OUT/SHA256SUMS there. A TARGET is
# GOOS-GOARCH; without one it is this machine's. The grammars are C, so each target
# needs a C compiler for it, which CC_GOOS_GOARCH names:
#
#   linux-amd64    gcc                        (native)
#   linux-arm64    aarch64-linux-gnu-gcc      Debian: gcc-aarch64-linux-gnu
#   windows-amd64  x86_64-w64-mingw32-gcc     Debian: gcc-mingw-w64-x86-64
#   darwin-*       clang, on a Mac
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$2
shift 2
cd "$(dirname "$0")/../../.."
[ $# -gt 0 ] || set -- "$(go env GOOS)-$(go env GOARCH)"

native=$(go env GOHOSTOS)-$(go env GOHOSTARCH)
# compiler TARGET prints its C compiler.
compiler() {
  local named=CC_${1//-/_}
  if [ -n "${!named:-}" ]; then
    echo "${!named}"
    return
  fi
  case $1 in
  "$native") go env CC ;;
  linux-amd64) echo x86_64-linux-gnu-gcc ;;
  linux-arm64) echo aarch64-linux-gnu-gcc ;;
  windows-amd64) echo x86_64-w64-mingw32-gcc ;;
  *) echo "no C compiler is known for $1: name it with $named" >&2; return 1 ;;
  esac
}

for target in "$@"; do
  cc=$(compiler "$target")
  command -v "${cc%% *}" >/dev/null || { echo "$target: there is no ${cc%% *} (see the top of $0)" >&2; exit 1; }
  file=$out/readahead_${version}_${target}
  link="-s -w -buildid= -X main.version=$version -linkmode=external"
  case $target in
  linux-*) link+=" -extldflags=-Wl,--build-id=none" ;;
  windows-*) file+=.exe link+=" -extldflags=-Wl,--no-insert-timestamp" ;;
  esac
  # What the machine's own settings would add is set to what it is without them.
  env GOFLAGS= GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 GOWORK=off CGO_ENABLED=1 \
    CGO_CFLAGS="-O2 -g0" CGO_CXXFLAGS="-O2 -g0" CGO_LDFLAGS="-O2" \
    GOOS="${target%-*}" GOARCH="${target#*-}" CC="$cc" \
    go build -trimpath -buildvcs=false -mod=readonly -ldflags "$link" -o "$file" ./cmd/readahead
  echo "$file"
done
sum="sha256sum"
command -v sha256sum >/dev/null || sum="shasum -a 256"
(cd "$out" && $sum readahead_"$version"_* >SHA256SUMS)
