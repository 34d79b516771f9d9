#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++ and Python files of the tree with clang-format and black, and checks braces and
# spelling.
#
#   scripts/format.sh           format
#   scripts/format.sh --check   change nothing; fail if a file is not formatted
#
# The tools come from PyPI in fixed versions, because other versions format differently.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=build/format-tools
packages=(clang-format==14.0.6 black==25.1.0 codespell==2.4.1)
if [ "$(cat "$tools/packages" 2> /dev/null)" != "${packages[*]}" ]; then
    python3 -m venv "$tools"
    "$tools/bin/python" -m pip install -q --disable-pip-version-check "${packages[@]}"
    echo "${packages[*]}" > "$tools/packages"
fi

cpp=() black=(-q)
case ${1:-} in
    --check)
        cpp=(--dry-run --Werror)
        black+=(--check)
        ;;
    "") cpp=(-i) ;;
    *)
        echo "usage: format.sh [--check]" >&2
        exit 2
        ;;
esac

# files PATTERN...   the existing files of the tree, committed or new, separated by zeros
files() {
    git ls-files -z --cached --others --exclude-standard -- "$@" \
        | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
}

sources() { files '*.cpp' '*.hpp' '*.cu'; }

sources | xargs -0 -n 64 -P "$(nproc)" "$tools/bin/clang-format" "${cpp[@]}" || {
    echo "format.sh: run scripts/format.sh" >&2
    exit 1
}

# This version of clang-format leaves braces alone. The macros of tests need theirs: they are ifs.
body='(?! *(?:EXPECT|ASSERT)_)[^\n]*;\n'
braces="(?m)^( *)(?:if|for|while)\b[^\n]*\{\n$body(?:\1\} else(?: if\b[^\n]*)? \{\n$body)*\1\}\n"
found=$(sources | xargs -0 grep -HPzo "$braces" | tr '\0' '\n') || true
if [ -n "$found" ]; then
    echo "format.sh: no braces around a single statement that fits on one line:" >&2
    echo "$found" >&2
    exit 1
fi

files '*.py' | xargs -0 "$tools/bin/black" "${black[@]}" || {
    echo "format.sh: run scripts/format.sh" >&2
    exit 1
}
# From another folder, since codespell cannot read this project's pyproject.toml.
files . ':!*.svg' ':!LICENSE' ':!*.ipynb' | sed -z "s|^|$PWD/|" \
    | (cd "$tools" && xargs -0 bin/codespell -L mIdle,mEarly,inout,endIn,BiasIn,biasIn,WeightIn,weightIn,nowNs,faktor,fro,coo)
