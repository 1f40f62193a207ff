#!/bin/sh
# private-apt.sh FOLDER TYPE SUITE... - write FOLDER/apt.conf, with which apt-get leaves the host's apt alone.
#
#   sh private-apt.sh FOLDER deb|deb-src bookworm trixie
#   apt-get -c FOLDER/apt.conf update
#   apt-get -c FOLDER/apt.conf download NAME/trixie      (or: source --download-only NAME)
#
# No root, nothing installed; lists and package state are FOLDER's own. apt still checks all that it brings against the
# Debian archive keys, and the host's apt.conf.d still applies (proxies!); its sources, pins and update hooks do not.
# Settings (environment):
#   DEBIAN_MIRROR   [the Debian mirror in the host's own apt sources]
#   DEBIAN_KEYRING  [/usr/share/keyrings/debian-archive-keyring.gpg]
set -eu

die() { printf 'private-apt: error: %s\n' "$*" >&2; exit 1; }

[ $# -ge 3 ] || die "usage: $0 FOLDER deb|deb-src SUITE..."
folder=$1 type=$2
shift 2

host_mirror() { # the first URI of a Debian archive in the host's apt sources
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed '/^[[:space:]]*#/d' | grep -oE 'https?://[^[:space:]]+/debian/?([[:space:]]|$)' | head -n 1 | tr -d '[:space:]'
}
mirror=${DEBIAN_MIRROR:-$(host_mirror)}
keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
for tool in apt-get dpkg; do
  command -v "$tool" >/dev/null || die "$tool is missing: this needs Debian or Ubuntu"
done
[ -n "$mirror" ] || die "no Debian mirror in this host's apt sources: set DEBIAN_MIRROR"
[ -r "$keyring" ] || die "$keyring is missing (apt-get install debian-archive-keyring)"
arch=$(dpkg --print-architecture)

mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/empty"
folder=$(cd -- "$folder" && pwd -P)
: >"$folder/status"
cat >"$folder/debian.sources" <<END
Types: $type
URIs: $mirror
Suites: $*
Components: main
Signed-By: $keyring
END
cat >"$folder/apt.conf" <<END
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Default-Release "";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11 { DefaultEnabled "false"; };
Acquire::IndexTargets::deb::Contents-deb { DefaultEnabled "false"; };
Acquire::Retries "3";
Dir::Etc::sourcelist "$folder/debian.sources";
Dir::Etc::sourceparts "$folder/empty";
Dir::Etc::preferences "$folder/empty/none";
Dir::Etc::preferencesparts "$folder/empty";
Dir::State "$folder/state";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
END
