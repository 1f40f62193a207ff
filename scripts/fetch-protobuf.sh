#!/bin/sh
# fetch-protobuf.sh DEST - put the sources of protobuf 3.21.12 into DEST, from Debian's source package.
#
# Uses apt with a private configuration (the host's own lists and settings stay as they are), so that apt checks the
# file against the Debian archive keys; the tarball's hash is checked here as well. A no-op when DEST is complete.
# Settings: DEBIAN_MIRROR, DEBIAN_KEYRING as for bootstrap-emscripten.sh.
set -eu

VERSION=3.21.12
SHA256=930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53
SUITE=bookworm

say() { printf 'fetch-protobuf: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

[ $# -eq 1 ] || die "usage: $0 DEST"
dest=$1
[ "$(cat "$dest/.complete" 2>/dev/null)" != "$SHA256" ] || exit 0

for tool in apt-get sha256sum tar; do
  command -v "$tool" >/dev/null || die "$tool is missing"
done
host_mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed '/^[[:space:]]*#/d' | grep -oE 'https?://[^[:space:]]+/debian/?([[:space:]]|$)' | head -n 1 | tr -d '[:space:]'
}
mirror=${DEBIAN_MIRROR:-$(host_mirror)}
keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
[ -n "$mirror" ] || die "no Debian mirror in this host's apt sources: set DEBIAN_MIRROR"
[ -r "$keyring" ] || die "$keyring is missing (apt-get install debian-archive-keyring)"

mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$(dirname "$dest")/.fetch-protobuf.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/empty"
: >"$work/status"
cat >"$work/debian.sources" <<END
Types: deb-src
URIs: $mirror
Suites: $SUITE
Components: main
Signed-By: $keyring
END
cat >"$work/apt.conf" <<END
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::Etc::sourcelist "$work/debian.sources";
Dir::Etc::sourceparts "$work/empty";
Dir::Etc::preferences "$work/empty/none";
Dir::Etc::preferencesparts "$work/empty";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
END
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
  '*/src/google/protobuf' "protobuf-$VERSION/LICENSE"
printf '%s\n' "$SHA256" >"$work/src/.complete"
rm -rf "$dest"
mv "$work/src" "$dest"
