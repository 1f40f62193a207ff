#!/bin/sh
# fetch-codecs.sh DEST - put the sources of the image libraries into DEST/<library>, from Debian's source packages.
#
# apt checks the package lists against the Debian archive keys; the hash of every tarball is checked here as well. A no-op
# when DEST is complete. Settings: those of private-apt.sh.
set -eu

SUITE=trixie
# Source package, version, hash of its original tarball, what is needed of it.
PACKAGES='
libjpeg-turbo 2.1.5 254f3642b04e309fee775123133c6464181addc150499561020312ec61c1bf7c *.c *.h *.in *.md README.ijg
libpng1.6 1.6.48 b17e99026055727e8cba99160c3a9a7f9af788e9f786daeadded5a42243f1dd0 *.c *.h pnglibconf.h.prebuilt LICENSE
libwebp 1.5.0 7d6fab70cf844bf6769077bd5d7a74893f8ffd4dfb42861745750c63c2a5c92c *.c *.h COPYING PATENTS
openjpeg2 2.5.3 3100f0316e922630112cf6d72c0c20776896e64ad7eab72c2f713c460287eb92 src/lib/openjp2/*.c src/lib/openjp2/*.h LICENSE
tiff 4.7.0 2b8b5c4e79cb2a4651796602e45d6179b7f18bc283feab417b8e881ef7e81862 libtiff/*.c libtiff/*.h LICENSE.md
zlib 1.3.dfsg+really1.3.1 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb *.c *.h LICENSE
'

say() { printf 'fetch-codecs: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

[ $# -eq 1 ] || die "usage: $0 DEST"
dest=$1
stamp=$(printf '%s' "$PACKAGES" | sha256sum | cut -c 1-64)
[ "$(cat "$dest/.complete" 2>/dev/null)" != "$stamp" ] || exit 0

for tool in sha256sum tar xz bzip2; do
  command -v "$tool" >/dev/null || die "$tool is missing"
done
mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$(dirname "$dest")/.fetch-codecs.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

sh "$(dirname "$0")/private-apt.sh" "$work" deb-src $SUITE
apt_get() { (cd "$work" && apt-get -q -c "$work/apt.conf" "$@") >"$work/log" 2>&1 || { cat "$work/log" >&2; die "apt-get $1 failed"; }; }

names=$(printf '%s' "$PACKAGES" | cut -d ' ' -f 1)
say "downloading Debian's source packages of" $names
apt_get update
# --tar-only: the original tarballs, whose names and bytes do not change while a suite lives; not Debian's own changes.
apt_get source --download-only --only-source --tar-only $names

set -f # the patterns are tar's
mkdir "$work/src"
printf '%s' "$PACKAGES" | while read -r name version hash patterns; do
  [ -n "$name" ] || continue
  tarball=$(find "$work" -maxdepth 1 -name "${name}_$version.orig.tar.*" ! -name '*.asc')
  [ -n "$tarball" ] || die "$SUITE has no $name $version any more"
  printf '%s  %s\n' "$hash" "$tarball" | sha256sum -c --quiet - >&2 || die "${tarball##*/}: wrong hash"
  mkdir "$work/src/$name"
  for pattern in $patterns; do
    tar -xf "$tarball" -C "$work/src/$name" --strip-components=1 --no-same-owner --wildcards "*/$pattern" ||
      die "${tarball##*/} has no $pattern"
  done
done
printf '%s\n' "$stamp" >"$work/src/.complete"
rm -rf "$dest"
mv "$work/src" "$dest"
