#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what building, testing and running Kompute needs, on Debian 12, Debian 13 and Ubuntu
# 24.04, as root or through sudo. Quick where everything is there already.
#
#   scripts/setup.sh           everything
#   scripts/setup.sh --demo    only what scripts/demo.sh needs
#
# KOMPUTE_SKIP_SETUP=1            do nothing (a machine prepared in another way)
# KOMPUTE_SETUP_BACKPORTS=0       on Debian 12, keep its own Mesa, do not take the backports' one
#
# Where a package comes from another suite of the same archive, its package list is kept in a
# temporary folder: the machine's own lists stay as they are.
set -euo pipefail
# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
only_option --demo "${1:-}"

[ "${KOMPUTE_SKIP_SETUP:-0}" = 1 ] && exit 0
# shellcheck source=scripts/progress.sh
. "$(dirname "${BASH_SOURCE[0]}")/progress.sh"
# An unpredictable name: the log is written as root, in a folder of all users.
log=$(mktemp "${TMPDIR:-/tmp}/kompute-setup.XXXXXX")

required="ca-certificates cmake g++ ninja-build pkg-config libvulkan1 libvulkan-dev libpng-dev"
required="$required mesa-vulkan-drivers glslang-tools python3 python3-pip"
required="$required python3-dev python3-venv"
# Those that a distribution lacks, CMake fetches; it then needs git.
libraries="libvulkan-volk-dev glslang-dev spirv-tools libspirv-cross-c-shared-dev libfmt-dev"
libraries="$libraries nlohmann-json3-dev libvkfft-dev"
allocator="libvulkan-memory-allocator-dev"
if [ "${1:-}" != --demo ]; then
    required="$required ccache clang vulkan-validationlayers vulkan-tools libgtest-dev"
    libraries="$libraries libbenchmark-dev doxygen libopenmpi-dev openmpi-bin chromium-driver"
fi

say() { echo "setup: $*"; }
installed() { [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2> /dev/null || true) == ?i* ]]; }
version() { dpkg-query -W -f '${Version}' "$1" 2> /dev/null || true; }

missing() {
    local name
    for name in "$@"; do installed "$name" || echo "$name"; done
}

# shellcheck source=/dev/null
. /etc/os-release
case "${ID:-} ${VERSION_ID:-}" in
    "debian 12" | "debian 13" | "ubuntu 24.04") ;;
    *) say "${PRETTY_NAME:-this system} is not one this was written for; trying as on Debian" ;;
esac
command -v apt-get > /dev/null || {
    say "no apt-get here: install by hand: $required $libraries $allocator" >&2
    exit 1
}

root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}
need_root() {
    if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null; then
        say "packages are missing; run this as root, or install sudo: $*" >&2
        exit 1
    fi
}

updated=no
update_once() {
    [ "$updated" = yes ] && return
    updated=yes
    with_progress "$log" "setup: updating the package lists" root apt-get update -qq \
        || say "some package lists could not be updated"
}
install() {
    with_progress "$log" "setup: installing $# packages" \
        root apt-get install -y -qq --no-install-recommends "$@"
}
available() { [[ $(apt-cache policy "$1" 2> /dev/null || true) == *"Candidate: "[0-9]* ]]; }

# with_suite SUITE ARGUMENTS...   runs apt-get as if the machine also knew SUITE of the
# archive that its own first package list names; fails where the archive has no such suite.
suites_folder=""
finish() {
    local status=$?
    [ "$status" != 0 ] || rm -f "$log"
    [ -z "$suites_folder" ] || root rm -rf "$suites_folder"
    exit "$status"
}
trap finish EXIT
with_suite() {
    local suite=$1 uri keyring options
    shift
    uri=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources 2> /dev/null || true; } \
        | sed -nE 's/^URIs:[[:space:]]+([^ ]+).*/\1/p; s/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^ ]+).*/\2/p' \
        | awk -v id="$ID" '$0 ~ "/" id "/?$" && !seen++')
    [ -n "$uri" ] || return 1
    keyring=/usr/share/keyrings/$ID-archive-keyring.gpg

    suites_folder=${suites_folder:-$(mktemp -d)}
    chmod 755 "$suites_folder"
    if [ ! -d "$suites_folder/$suite" ]; then
        mkdir -p "$suites_folder/$suite/parts" "$suites_folder/$suite/lists/partial"
        cp /etc/apt/sources.list.d/* "$suites_folder/$suite/parts/" 2> /dev/null || true
        [ ! -s /etc/apt/sources.list ] \
            || cp /etc/apt/sources.list "$suites_folder/$suite/parts/machine.list"
        # Where the machine has the suite already, naming it again would be a conflict.
        grep -qrsw -- "$suite" "$suites_folder/$suite/parts" \
            || echo "deb [signed-by=$keyring] $uri $suite main" \
                > "$suites_folder/$suite/parts/zz-$suite.list"
    fi
    options=(
        -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$suites_folder/$suite/parts"
        -o "Dir::State::Lists=$suites_folder/$suite/lists" -o Dir::Cache::pkgcache=
        -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
    )
    if [ ! -e "$suites_folder/$suite/updated" ]; then
        root apt-get "${options[@]}" update -qq > /dev/null 2>&1 || true
        [ -n "$(find "$suites_folder/$suite/lists" -name "*_${suite}_*Release")" ] || return 1
        touch "$suites_folder/$suite/updated"
    fi
    root apt-get "${options[@]}" "$@"
}

# --- the packages of the distribution -----------------------------------------------------------
# shellcheck disable=SC2086
absent=$(missing $required)
if [ -n "$absent" ]; then
    # shellcheck disable=SC2086
    need_root $absent
    update_once
    say "installing ${absent//$'\n'/ }"
    # shellcheck disable=SC2086
    install $absent
fi

# shellcheck disable=SC2086
absent=$(missing $libraries $allocator)
if [ -n "$absent" ]; then
    # shellcheck disable=SC2086
    need_root $absent
    update_once
    take=""
    for name in $absent; do
        if available "$name"; then take="$take $name"; fi
    done
    if [ -n "$take" ]; then
        say "installing$take"
        # shellcheck disable=SC2086
        install $take
    fi
fi

# --- VulkanMemoryAllocator: one header, which Debian has from 13 on -----------------------------
if [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ] && ! installed "$allocator"; then
    say "taking $allocator from Debian 13's suite"
    with_suite trixie install -y -qq --no-install-recommends -t trixie "$allocator" > /dev/null \
        || say "$allocator could not be installed"
fi

# --- Mesa's software driver: Debian 12's own is too old to test on ---------------------------------
if [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ] && [ "${KOMPUTE_SETUP_BACKPORTS:-1}" = 1 ] \
    && dpkg --compare-versions "$(version mesa-vulkan-drivers)" lt 23; then
    need_root mesa-vulkan-drivers
    say "taking mesa-vulkan-drivers from the backports"
    with_suite bookworm-backports install -y -qq --no-install-recommends \
        -t bookworm-backports mesa-vulkan-drivers > /dev/null \
        || say "the backports cannot be reached: keeping Mesa $(version mesa-vulkan-drivers)"
fi

# --- what is left to CMake ----------------------------------------------------------------------
# shellcheck disable=SC2086
absent=$(missing $libraries $allocator)
if [ -n "$absent" ]; then
    say "not in the package archive, left to CMake to fetch: ${absent//$'\n'/ }"
    if ! installed git; then
        update_once
        install git
    fi
fi
# --- SwiftShader: a second software driver, for the step devices of scripts/test.sh ----------------
if [ "${1:-}" != --demo ]; then
    bash "$(dirname "${BASH_SOURCE[0]}")/swiftshader.sh" > /dev/null
fi
say "done ($(version mesa-vulkan-drivers) of Mesa's Vulkan drivers)"
