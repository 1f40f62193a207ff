#!/bin/sh
# fetch-protobuf.sh DEST - put the sources of protobuf 3.21.12 into DEST, from Debian's source package.
#
# apt checks the file against the Debian archive keys; the tarball's hash is checked here as well. A no-op when DEST is
# complete. Settings: those of private-apt.sh.
set -eu

VERSION=3.21.12
SHA256=930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53
SUITE=bookworm

say() { printf 'fetch-protobuf: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

[ $# -eq 1 ] || die "usage: $0 DEST"
dest=$1
[ "$(cat "$dest/.complete" 2>/dev/null)" != "$SHA256" ] || exit 0

for tool in sha256sum tar; do
  command -v "$tool" >/dev/null || die "$tool is missing"
done
mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$(dirname "$dest")/.fetch-protobuf.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

sh "$(dirname "$0")/private-apt.sh" "$work" deb-src $SUITE
apt_get() { (cd "$work" && apt-get -q -c "$work/apt.conf" "$@") >"$work/log" 2>&1 || { cat "$work/log" >&2; die "apt-get $1 failed"; }; }

say "downloading protobuf $VERSION (Debian's source package)"
apt_get update
apt_get source --download-only --only-source protobuf
tarball=$(ls "$work"/protobuf_"$VERSION".orig.tar.* 2>/dev/null | grep -v '\.asc$' | head -n 1)
[ -n "$tarball" ] || die "$SUITE has no protobuf $VERSION any more"
printf '%s  %s\n' "$SHA256" "$tarball" | sha256sum -c --quiet - >&2 || die "${tarball##*/}: wrong hash"

# Only what the lite runtime needs.
mkdir "$work/src"
tar -xf "$tarball" -C "$work/src" --strip-components=1 --no-same-owner --wildcards \
  --exclude='*/compiler' --exclude='*unittest*' --exclude='*/testdata' --exclude='*/testing' \
  "protobuf-$VERSION/src/google/protobuf" "protobuf-$VERSION/LICENSE"
printf '%s\n' "$SHA256" >"$work/src/.complete"
rm -rf "$dest"
mv "$work/src" "$dest"
