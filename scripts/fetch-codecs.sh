#!/bin/sh
# fetch-codecs.sh DEST - put the sources of the image libraries into DEST/<library>, from Debian's source packages. A no-op
# when DEST is complete.
set -eu
. "$(dirname "$0")/debian-source.sh"

# Source package, version, hash of its original tarball, what is needed of it.
PACKAGES='
libjpeg-turbo 2.1.5 254f3642b04e309fee775123133c6464181addc150499561020312ec61c1bf7c *.c *.h *.in *.md README.ijg
libpng1.6 1.6.48 b17e99026055727e8cba99160c3a9a7f9af788e9f786daeadded5a42243f1dd0 *.c *.h pnglibconf.h.prebuilt LICENSE
libwebp 1.5.0 7d6fab70cf844bf6769077bd5d7a74893f8ffd4dfb42861745750c63c2a5c92c *.c *.h COPYING PATENTS
openjpeg2 2.5.3 3100f0316e922630112cf6d72c0c20776896e64ad7eab72c2f713c460287eb92 src/lib/openjp2/*.c src/lib/openjp2/*.h LICENSE
tiff 4.7.0 2b8b5c4e79cb2a4651796602e45d6179b7f18bc283feab417b8e881ef7e81862 libtiff/*.c libtiff/*.h LICENSE.md
zlib 1.3.dfsg+really1.3.1 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb *.c *.h LICENSE
'

[ $# -eq 1 ] || die "usage: $0 DEST"
begin "$1" "$(printf '%s' "$PACKAGES" | sha256sum | cut -c 1-64)" trixie xz bzip2
download $(printf '%s' "$PACKAGES" | cut -d ' ' -f 1)

set -f # the patterns are tar's
printf '%s' "$PACKAGES" | while read -r name version hash patterns; do
  [ -n "$name" ] || continue
  checked_tarball "$name" "$version" "$hash"
  mkdir "$work/src/$name"
  for pattern in $patterns; do
    tar -xf "$tarball" -C "$work/src/$name" --strip-components=1 --no-same-owner --wildcards "*/$pattern" ||
      die "${tarball##*/} has no $pattern"
  done
done
finish
