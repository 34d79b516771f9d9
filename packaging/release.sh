#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes everything that a release consists of, from the committed state of the tree: the source archive,
# the sdist and the wheels for x86-64 and aarch64 Linux, the notes (the changelog's section), a bill of materials and
# checksums. A CPython that neither the machine nor Debian has is named, and gets no wheel.
#
#   packaging/release.sh [FOLDER]              into FOLDER (default: dist)
#   packaging/release.sh --no-wheels [FOLDER]  without sdist and wheels, which take an hour
#   packaging/release.sh --check               only check that the tree states one version everywhere
#   packaging/release.sh --set 1.2.3           write this version and today's date into the tree
#
# The version is defined in include/kompute/Version.hpp. Publishing is left to a person:
# docs/contributing/releasing.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=release.sh
# shellcheck source=scripts/functions.sh
. scripts/functions.sh

wheels=yes check=no set="" output=dist
while [ "$#" -gt 0 ]; do
    case $1 in
        --no-wheels) wheels=no ;;
        --check) check=yes ;;
        --set)
            set=${2:-}
            [[ $set =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "--set takes a version such as 1.2.3, not '$set'"
            shift
            ;;
        -h | --help)
            sed -n "4,/^set /{/^set /d;s/^# \\{0,1\\}//;p}" "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*) fail "no option is called '$1' (--help lists them)" ;;
        *) output=$1 ;;
    esac
    shift
done

# --- one version ----------------------------------------------------------------------------------
if [ -n "$set" ]; then
    grep -q '^## Unreleased$' CHANGELOG.md || fail "CHANGELOG.md has no heading '## Unreleased' to date"
    IFS=. read -r major minor patch <<< "$set"
    sed -i -E "s/(VERSION_STRING) \".*\"/\\1 \"$set\"/; s/(VERSION_MAJOR) [0-9]+/\\1 $major/
        s/(VERSION_MINOR) [0-9]+/\\1 $minor/; s/(VERSION_PATCH) [0-9]+/\\1 $patch/" include/kompute/Version.hpp
    sed -i -E "s/(\"version-semver\": )\".*\"/\\1\"$set\"/" packaging/vcpkg/kompute/vcpkg.json
    sed -i "s/^## Unreleased\$/## $set, $(date -u +%F)/" CHANGELOG.md
    maintainer=$(sed -nE 's/^Maintainer: //p' packaging/debian/control)
    {
        printf 'kompute (%s-1) unstable; urgency=medium\n\n' "$set"
        printf '  * New release; see CHANGELOG.md.\n\n -- %s  %s\n\n' "$maintainer" "$(LC_ALL=C date -u -R)"
        cat packaging/debian/changelog
    } > packaging/debian/changelog.new
    mv packaging/debian/changelog.new packaging/debian/changelog
fi
defined() { sed -nE "s/#define KOMPUTE_VERSION_$1 \"?([0-9.]+)\"?\$/\\1/p" include/kompute/Version.hpp; }
version=$(defined STRING)
[ "$version" = "$(defined MAJOR).$(defined MINOR).$(defined PATCH)" ] \
    || fail "Version.hpp has both $version and $(defined MAJOR).$(defined MINOR).$(defined PATCH)"
newest=$(sed -nE 's/^## ([0-9]+\.[0-9]+\.[0-9]+), [0-9]{4}-[0-9]{2}-[0-9]{2}$/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] || fail "the first dated section of CHANGELOG.md is '$newest', Version.hpp has $version"
port=$(sed -nE 's/.*"version-semver": "([^"]+)".*/\1/p' packaging/vcpkg/kompute/vcpkg.json)
[ "$port" = "$version" ] || fail "packaging/vcpkg/kompute/vcpkg.json has $port, Version.hpp $version"
package=$(sed -nE '1s/^kompute \(([0-9.]+)-.*/\1/p' packaging/debian/changelog)
[ "$package" = "$version" ] || fail "packaging/debian/changelog begins with $package, Version.hpp has $version"
grep -q "^Package: libkompute$(defined MAJOR)\$" packaging/debian/control \
    || fail "packaging/debian/control names no package libkompute$(defined MAJOR), after the library's SOVERSION"
say "version $version"
[ "$check" = no ] && [ -z "$set" ] || exit 0

# --- the files ------------------------------------------------------------------------------------
[ -z "$(git status --porcelain)" ] || fail "commit or remove first: $(git status --porcelain)"
mkdir -p "$output"
output=$(cd "$output" && pwd)
[ -z "$(ls -A "$output")" ] || fail "$output is not empty"
git archive --format=tar.gz --prefix="kompute-$version-source/" \
    --output="$output/kompute-$version-source.tar.gz" HEAD
awk -v version="$version," '/^## / { found = $2 == version; next } found' CHANGELOG.md \
    > "$output/kompute-$version-notes.md"
if [ "$wheels" = yes ]; then
    rm -rf build/platforms/wheels
    bash scripts/platforms.sh manylinux aarch64
    cp build/platforms/wheels/* "$output/"
fi
listed=("$output"/*)
python3 packaging/sbom.py "${listed[@]}" > "$output/kompute-$version.cdx.json"
listed+=("$output/kompute-$version.cdx.json")
(cd "$output" && sha256sum -- "${listed[@]##*/}" > SHA256SUMS)
say "in $output:"
(cd "$output" && ls -l --block-size=K)
