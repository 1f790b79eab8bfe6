#!/usr/bin/env bash
# Fetches VS Code's workbench and a browser to drive it in:
#
#   editors/e2e/get-vscode.sh DIR     then: READAHEAD_CODE_SERVER=DIR go test -run EditorVSCode ./cmd/readahead
#
#   DIR/code-server   VS Code 1.139, its workbench and extension host (npm: code-server)
#   DIR/browser       Chromium: this machine's, else apt-get installs it, which needs root
#   DIR/node          Node 24, which both need (npm: node-linux-ARCH)
#   DIR/driver        playwright-core, with which editors/e2e/drive.mjs works
#
# Nothing is compiled. About 800 MB beside Chromium, two minutes. Works where npm
# and apt-get do; exit status 3 says that it does not work here.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
dir=${1:?usage: get-vscode.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

cannot() { echo "get-vscode.sh: cannot fetch VS Code: $1" >&2; exit 3; }
fetch() { npm install --no-audit --no-fund --ignore-scripts --loglevel error "$@" || cannot "npm install $*"; }

command -v npm >/dev/null || cannot "there is no npm"
case $(uname -sm) in
  "Linux x86_64") arch=x64 ;;
  "Linux aarch64") arch=arm64 ;;
  *) cannot "code-server is tried on Linux alone, this is $(uname -sm)" ;;
esac

find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_browser >/dev/null; then
  command -v apt-get >/dev/null || cannot "there is no Chromium, and no apt-get to install it"
  root=
  [ "$(id -u)" = 0 ] || root="sudo -n DEBIAN_FRONTEND=noninteractive"
  { $root apt-get -qq update && $root apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install chromium fonts-dejavu-core; } >/dev/null ||
    cannot "there is no Chromium, and apt-get did not install it; install it yourself: apt-get install chromium"
fi

# launch NAME PROGRAM… — make DIR/NAME start a program
launch() {
  local name=$1
  shift
  printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$dir/$name"
  chmod +x "$dir/$name"
}
rm -f "$dir/code-server" # it comes last: where it is, all is

fetch --prefix "$dir/runtime" "node-linux-$arch@24.22.3"
node=$dir/runtime/node_modules/node-linux-$arch/bin/node
export PATH="${node%/node}:$PATH"
fetch --prefix "$dir/driver" playwright-core@1.65.1
fetch --prefix "$dir/server" code-server@4.139.1
workbench=$dir/server/node_modules/code-server/lib/vscode
(cd "$workbench" && fetch --omit=dev)

# What other extensions would add to the picture, or to the time: Copilot's swallows
# the first completions, the others start processes that a test of ours waits for.
rm -rf "$dir/aside"
mkdir "$dir/aside"
for extension in copilot typescript-language-features ms-vscode.js-debug github github-authentication \
  microsoft-authentication git git-base emmet; do
  if [ -d "$workbench/extensions/$extension" ]; then
    mv "$workbench/extensions/$extension" "$dir/aside/"
  fi
done

launch node "$node"
launch browser "$(find_browser)"
launch code-server "$node" "$dir/server/node_modules/code-server/out/node/entry.js"
printf '%-12s %s\n' node "$("$dir/node" --version)" browser "$("$dir/browser" --version)" \
  code-server "$("$dir/code-server" --config /dev/null --version | tail -1)"
