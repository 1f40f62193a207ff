# debian-source.sh - what the fetch-*.sh scripts share; they read it with `.`: sources from Debian's source packages.
#
# apt checks the package lists against the Debian archive keys; checked_tarball compares each file's hash as well.
# Settings: those of private-apt.sh.

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }
die() { say "error: $*"; exit 1; }

# begin DEST STAMP SUITE TOOL... - ends the script where DEST is complete already; else makes $work, gone at the end.
begin() {
  dest=$1 stamp=$2 suite=$3
  shift 3
  [ "$(cat "$dest/.complete" 2>/dev/null)" != "$stamp" ] || exit 0
  for tool in sha256sum tar "$@"; do
    command -v "$tool" >/dev/null || die "$tool is missing"
  done
  mkdir -p "$(dirname "$dest")"
  work=$(mktemp -d "$(dirname "$dest")/.$(basename "$0" .sh).XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
  mkdir "$work/src"
  sh "$(dirname "$0")/private-apt.sh" "$work" deb-src "$suite"
}

apt_get() {
  (cd "$work" && apt-get -q -c "$work/apt.conf" "$@") >"$work/log" 2>&1 || { cat "$work/log" >&2; die "apt-get $1 failed"; }
}

# download NAME... - the original tarballs, whose names and bytes do not change while a suite lives; not Debian's changes.
download() {
  say "downloading Debian's source packages of $*"
  apt_get update
  apt_get source --download-only --only-source --tar-only "$@"
}

# checked_tarball NAME VERSION SHA256 - sets $tarball.
checked_tarball() {
  tarball=$(find "$work" -maxdepth 1 -name "$1_$2.orig.tar.*" ! -name '*.asc')
  [ -n "$tarball" ] || die "$suite has no $1 $2 any more"
  printf '%s  %s\n' "$3" "$tarball" | sha256sum -c --quiet - >&2 || die "${tarball##*/}: wrong hash"
}

# finish - puts $work/src in the place of DEST.
finish() {
  printf '%s\n' "$stamp" >"$work/src/.complete"
  rm -rf "$dest"
  mv "$work/src" "$dest"
}
