#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the documentation site into build/site/html: the pages of docs/, the examples with their
# pictures, and the C++ and Python references, with one search. A link that leads nowhere is an
# error. If Chromium is installed, it opens the site, searches, and looks at tabs, pictures and the dark mode.
#
#   bash scripts/site.sh            build and check
#   bash scripts/site.sh --serve    then show it at http://localhost:8000
set -euo pipefail
# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
only_option --serve "${1:-}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

site=build/site
pages=$site/pages
rm -rf "$pages" "$site/html" "$site/xml"
mkdir -p "$pages"

command -v doxygen > /dev/null || { echo "site.sh: Doxygen is not installed" >&2; exit 1; }
[ -x "$site/venv/bin/python" ] || python3 -m venv "$site/venv"
"$site/venv/bin/python" -m pip install -q --disable-pip-version-check -r scripts/site/requirements.txt

# --- the pages ----------------------------------------------------------------------------------
cp -r docs/. "$pages/"
rm "$pages/Doxyfile"
mv "$pages/README.md" "$pages/overview.md"
cp README.md "$pages/index.md"
cp CHANGELOG.md CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md "$pages/"
cp examples/README.md "$pages/examples-cpp.md"
cp python/examples/README.md "$pages/examples.md"
cp -r python/examples/pictures "$pages/"
# Where each page lies in the repository, from which its links lead.
"$site/venv/bin/python" - "$pages" << 'PYTHON'
import json, sys
from pathlib import Path

pages = Path(sys.argv[1])
names = [page.relative_to(pages).as_posix() for page in pages.rglob("*.md")]
origins = {name: f"docs/{name}" for name in names}
origins |= {"index.md": "README.md", "overview.md": "docs/README.md"}
origins |= {"examples-cpp.md": "examples/README.md", "examples.md": "python/examples/README.md"}
origins |= {name: name for name in ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")}
(pages / "origins.json").write_text(json.dumps(origins))
PYTHON

# --- the references -----------------------------------------------------------------------------
version=$(sed -nE 's/.*VERSION_STRING "(.*)"/\1/p' include/kompute/Version.hpp)
[ -n "$version" ] || { echo "site.sh: include/kompute/Version.hpp has no VERSION_STRING" >&2; exit 1; }
sed -e "s|@PROJECT_VERSION@|$version|; s|@PROJECT_DESCRIPTION@|GPU compute over Vulkan|" \
    -e "s|@KOMPUTE_DOCS_FOLDER@|$site|" docs/Doxyfile > "$site/Doxyfile"
echo "HTML_OUTPUT = pages/cpp" >> "$site/Doxyfile"
doxygen "$site/Doxyfile"
"$site/venv/bin/python" scripts/python_reference.py "$pages/python" | sed 's/^wrote .*//'

NO_MKDOCS_2_WARNING=1 "$site/venv/bin/mkdocs" build --strict --config-file scripts/site/mkdocs.yml
echo "site: $(find "$site/html" -name '*.html' | wc -l) pages in $site/html"

# --- in a browser -------------------------------------------------------------------------------
"$site/venv/bin/python" scripts/site/browse.py "$site/html"

if [ "${1:-}" = --serve ]; then
    "$site/venv/bin/python" -m http.server --directory "$site/html" 8000
fi
