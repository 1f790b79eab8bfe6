#!/usr/bin/env bash
# Fetches what the objects found here are compared with, and on what:
#
#   index/facts/testdata/get-packages.sh DIR     then: DIR/ctags  DIR/LANGUAGE/PACKAGE/…
#
#   ctags       universal-ctags 6.2 from Debian's forky suite
#   PACKAGE     source code from packages of trixie, some for each language
#
# apt resolves and verifies the packages, with lists and state of its own, from the
# mirror that this machine uses; nothing of this machine changes, and root is not
# needed. Brings some 10 MB beside the lists; what is there already stays. Works on
# Debian and its relatives; exit status 3 says that it does not work here.
set -euo pipefail
dir=${1:?usage: get-packages.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# A language, then packages: small ones that are written as the language is today,
# as far as Debian has them. Where the built package holds no source, src: asks for
# what upstream published.
packages='
go    golang-github-spf13-cobra-dev golang-github-samber-lo-dev
py    python3-flask python3-attr
ts    node-jose node-react-redux
tsx   node-blueprintjs-core node-react-json-tree
js    node-commander node-express
java  src:libcommons-cli-java src:jimfs
rs    librust-semver-dev librust-anyhow-dev librust-itertools-dev
c     src:cjson src:jansson
cpp   src:libjsoncpp src:tinyxml2
cs    src:dnlib
rb    ruby-sinatra ruby-thor
php   php-monolog php-laravel-prompts
'

[ "$(cat "$dir/fetched" 2>/dev/null)" != "$(echo "$packages")" ] || exit 0
# what finding Debian's mirror takes: cannot, keyring, mirror and arch
. "$(dirname "$0")/../../../.ci/debian.sh"

# lists TYPES SUITE — an apt with the lists of one suite, in $apt
lists() {
  apt=$dir/apt
  rm -rf "$apt"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc/{apt.conf.d,preferences.d,sources.list.d}}
  : >"$apt/status"
  printf "%s [signed-by=$keyring] $mirror $2 main\n" $1 >"$apt/etc/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::Etc "$apt/etc"; Dir::State "$apt"; Dir::State::lists "$apt/lists"; Dir::State::status "$apt/status";
Dir::Cache "$apt/cache"; APT::Architecture "$arch"; APT::Install-Recommends "false"; APT::Sandbox::User "";
Acquire::Languages "none"; Acquire::Check-Valid-Until "false"; Debug::NoLocking "true";
CONF
  export APT_CONFIG=$apt/apt.conf
  apt-get -qq update || cannot "no package list of Debian $2 from $mirror"
}

rm -f "$dir/fetched"
lists deb forky
apt-get -qq -y --download-only install universal-ctags >/dev/null || cannot "apt-get does not bring universal-ctags"
mkdir -p "$dir/unpacked"
for deb in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/unpacked" --no-same-owner --keep-directory-symlink --exclude='./usr/share/*'
done
libraries=$(find "$dir/unpacked" -name 'libc.so.6' -printf '%h\n')
loader=$(find "$libraries" -name 'ld-linux*.so*')
printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "$libraries" "$dir/unpacked/usr/bin/ctags-universal" >"$dir/ctags"
chmod +x "$dir/ctags"
"$dir/ctags" --version | grep '^Universal Ctags 6\.2' || cannot "the test knows Universal Ctags 6.2, Debian has another"

# fetch NAME — the package's archives, in $apt/got
fetch() {
  rm -rf "$apt/got"
  mkdir "$apt/got"
  case $1 in
    src:*) (cd "$apt/got" && apt-get -qq --download-only --tar-only source "${1#src:}") ;;
    *) (cd "$apt/got" && apt-get -qq download "$1") ;;
  esac || cannot "apt-get does not bring $1"
}

# extract FOLDER — what was fetched
extract() {
  mkdir -p "$1"
  for archive in "$apt/got"/*; do
    case $archive in
      *.deb) dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$1" --no-same-owner ;;
      *.tar.*) tar -xf "$archive" -C "$1" --no-same-owner ;;
    esac
    printf '%-5s %s\n' "$language" "${archive##*/}"
  done
}

lists 'deb deb-src' trixie
while read -r language names; do
  rm -rf "${dir:?}/$language"
  for name in $names; do
    fetch "$name"
    extract "$dir/$language/${name#src:}"
  done
done < <(sed '/^$/d' <<<"$packages")
rm -rf "$apt"
echo "$packages" >"$dir/fetched"
