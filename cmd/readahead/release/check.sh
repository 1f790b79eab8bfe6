#!/usr/bin/env bash
# Builds the binary twice, in two folders and with two build caches, and fails if
# they differ; then asks one for its version.
#
#   cmd/readahead/release/check.sh SCRATCH [TARGET]
#
# It compiles the grammars twice: a few minutes.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
mkdir -p "$1"
scratch=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
target=${2:-$(go env GOOS)-$(go env GOARCH)}
rm -rf "$scratch/one" "$scratch/another-folder"
for copy in one another-folder; do
  mkdir -p "$scratch/$copy/source"
  # what git knows, without git: a release must not depend on it
  git ls-files -z --cached --others --exclude-standard -- . ':!editors' | tar --null -T - --ignore-failed-read -cf - | tar -xf - -C "$scratch/$copy/source"
  GOCACHE=$scratch/$copy/cache "$scratch/$copy/source/cmd/readahead/release/build.sh" "$scratch/$copy/out" v0.0.0-check "$target"
done
cmp "$scratch"/one/out/SHA256SUMS "$scratch"/another-folder/out/SHA256SUMS
cat "$scratch/one/out/SHA256SUMS"
if [ "$target" = "$(go env GOHOSTOS)-$(go env GOHOSTARCH)" ]; then
  "$scratch/one/out/readahead_v0.0.0-check_$target" version | grep -q '^readahead v0.0.0-check '
fi
rm -rf "$scratch/one" "$scratch/another-folder"
echo "reproducible: $target"
