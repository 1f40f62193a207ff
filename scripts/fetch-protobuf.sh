#!/bin/sh
# fetch-protobuf.sh DEST - put the sources of protobuf 3.21.12 into DEST, from Debian's source package. A no-op when DEST
# is complete.
set -eu
. "$(dirname "$0")/debian-source.sh"

VERSION=3.21.12
SHA256=930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53

[ $# -eq 1 ] || die "usage: $0 DEST"
begin "$1" $SHA256 bookworm
download protobuf
checked_tarball protobuf $VERSION $SHA256
# Only what the lite runtime needs.
tar -xf "$tarball" -C "$work/src" --strip-components=1 --no-same-owner --wildcards \
  --exclude='*/compiler' --exclude='*unittest*' --exclude='*/testdata' --exclude='*/testing' \
  "protobuf-$VERSION/src/google/protobuf" "protobuf-$VERSION/LICENSE"
finish
