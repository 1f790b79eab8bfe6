# To be sourced: programs of another suite of Debian, in a folder of their own.
#
#   dir=…                                where they go; exists, absolute
#   unpack SUITE PACKAGE…                the packages and what they depend on, in $dir/SUITE
#   settle SUITE PROGRAM NAME [VAR=VAL]  make $dir/NAME start PROGRAM
#
# apt resolves and verifies the packages, with lists and state of its own;
# dpkg-deb unpacks them. Nothing of this machine changes, and root is not needed.
# The programs are told where their own libraries are (patchelf), so they run
# beside those of this system. Works on Debian and its relatives; exit status 3
# says that it does not work here.

cannot() { echo "$(basename "$0"): cannot fetch from Debian: $1" >&2; exit 3; }
command -v apt-get >/dev/null || cannot "there is no apt-get"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || cannot "there is no $keyring (package debian-archive-keyring)"
# the mirror that this machine uses already, if it is one of Debian's
mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null |
  grep -i debian | grep -vi security | sort | uniq -c | sort -rn | awk 'NR == 1 {print $2}') || true
[ -n "$mirror" ] || cannot "the sources of apt-get name no mirror of Debian"
arch=$(dpkg --print-architecture)

# unpack SUITE PACKAGE… — the packages and what they depend on, in $dir/SUITE
unpack() {
  local suite=$1 root=$dir/$1 apt=$dir/$1.apt deb
  shift
  mkdir -p "$root" "$apt"/{lists/partial,cache/archives/partial,etc/{apt.conf.d,preferences.d,sources.list.d}}
  : >"$apt/status"
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/etc/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::Etc "$apt/etc"; Dir::State "$apt"; Dir::State::lists "$apt/lists"; Dir::State::status "$apt/status";
Dir::Cache "$apt/cache"; APT::Architecture "$arch"; APT::Install-Recommends "false"; APT::Sandbox::User "";
Acquire::Languages "none"; Acquire::Check-Valid-Until "false"; Debug::NoLocking "true";
CONF
  APT_CONFIG=$apt/apt.conf apt-get -qq update || cannot "no package list of Debian $suite from $mirror"
  APT_CONFIG=$apt/apt.conf apt-get -qq -y --download-only install base-files patchelf "$@" >/dev/null
  for deb in "$apt"/cache/archives/base-files_*.deb "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*' --exclude='./usr/share/man/*'
  done
  rm -rf "$apt"
}

# settle SUITE PROGRAM NAME [VARIABLE=VALUE…] — make $dir/NAME start PROGRAM
settle() {
  local root=$dir/$1 program=$dir/$1/$2 name=$3 loader libraries
  shift 3
  loader=$(find "$root"/lib64 "$root"/lib "$root"/usr/lib -name 'ld-linux*.so*' 2>/dev/null | head -1)
  libraries=$root/usr/lib/$(cd "$root/usr/lib" && ls -d -- *-linux-gnu* | head -1)
  "$loader" --library-path "$libraries" "$root/usr/bin/patchelf" \
    --set-interpreter "$loader" --force-rpath --set-rpath "$libraries:$libraries/lua/5.1" "$program"
  printf '#!/bin/sh\n%s exec %s "$@"\n' "$*" "$program" >"$dir/$name"
  chmod +x "$dir/$name"
  printf '%-9s %s\n' "$name" "$("$dir/$name" --version | head -1)"
}
