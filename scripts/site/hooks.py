# SPDX-License-Identifier: Apache-2.0
"""The documentation site's additions to the pages of docs/, which are written for any Markdown
reader.

- The navigation follows docs/README.md: its headings, and the pages that they link to.
- Code in C++ right before the same in Python becomes a pair of tabs.
- Links to files that are not pages lead to the repository ($KOMPUTE_SITE_REPOSITORY, the address of
  a folder of sources), or are plain text.
- Names of the C++ and Python references are found by the search.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import urljoin
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
#: Pages that docs/README.md does not list, by the section that they end.
ALSO = {
    "Start here": [
        ("Examples in C++", "examples-cpp.md"),
        ("Examples in Python", "examples.md"),
    ],
    "Reference": [
        ("C++ reference", "cpp/annotated.html"),
        ("Python reference", "python/kp.html"),
        ("Changes", "CHANGELOG.md"),
        ("Security", "SECURITY.md"),
    ],
    "For developers of the library": [
        ("Contributing", "CONTRIBUTING.md"),
        ("Code of conduct", "CODE_OF_CONDUCT.md"),
    ],
}
#: Files that are pages of the site, by their path in the repository.
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "overview.md",
    "examples/README.md": "examples-cpp.md",
    "python/examples": "examples.md",
    "python/examples/README.md": "examples.md",
    "include/kompute": "cpp/annotated.html",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = r"^```{}\n(?:(?!^```).*\n)*?^```\n"
PAIR = re.compile(f"({FENCE.format('cpp')})\n*({FENCE.format('python')})", re.M)


def navigation(index: str) -> list[dict[str, object]]:
    """The sections of docs/README.md with their pages."""
    sections: list[dict[str, object]] = [{"Kompute": "index.md"}, {"All pages": "overview.md"}]
    seen: set[str] = set()
    for part in re.split(r"^## ", index, flags=re.M)[1:]:
        title, _, text = part.partition("\n")
        pages: list[object] = []
        for _, label, target in LINK.findall(text):
            file = target.partition("#")[0]
            if re.fullmatch(r"[\w-]+/[\w-]+\.md", file) and file not in seen:
                seen.add(file)
                pages.append({label[:1].upper() + label[1:]: file})
        pages += [{label: file} for label, file in ALSO.get(title, [])]
        sections.append({title: pages})
    return sections


def on_config(config):
    config["nav"] = navigation(Path(config["docs_dir"], "overview.md").read_text("utf-8"))
    return config


def on_page_markdown(markdown: str, page, config, files) -> str:
    origin = Path(config["docs_dir"], "origins.json")
    source = page.file.src_uri
    at = json.loads(origin.read_text("utf-8"))[source]
    return tabs(re.sub(LINK, lambda link: relinked(link, at, source, files), markdown))


def relinked(link: re.Match[str], at: str, source: str, files) -> str:
    """A link for the page @p source of the site, made of the file at the path @p at of the repository."""
    picture, label, target = link.groups()
    if re.match(r"[a-z]+:|#", target):
        return link[0]
    path, mark, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(at), path))
    page = MOVED.get(path, path.removeprefix("docs/").removeprefix("python/examples/"))
    if files.get_file_from_path(page) is not None:
        page = os.path.relpath(page, os.path.dirname(source) or ".")
        return f"{picture}[{label}]({page}{mark}{anchor})"
    if not (ROOT / path).exists():
        return link[0]  # MkDocs says that it leads nowhere
    base = os.environ.get("KOMPUTE_SITE_REPOSITORY")
    if base and not picture:
        return f"[{label}]({urljoin(base.rstrip('/') + '/', path)})"
    return f"`{label}`" if re.fullmatch(r"[\w./-]+", label) else label


def tabs(markdown: str) -> str:
    def tabbed(pair: re.Match[str]) -> str:
        return "".join(
            f'=== "{language}"\n\n' + re.sub("^(?=.)", "    ", code, flags=re.M) + "\n"
            for language, code in zip(("C++", "Python"), pair.groups())
        )

    return PAIR.sub(tabbed, markdown)


def cpp_entries(xml: Path):
    """Title, text and address of each name of the C++ reference."""
    for compound in ElementTree.parse(xml / "index.xml").getroot():
        kind, name = compound.get("kind"), compound.findtext("name", "")
        if kind not in ("class", "struct", "namespace") or "anonymous" in name:
            continue
        root = ElementTree.parse(xml / f"{compound.get('refid')}.xml").getroot()
        for item in [root.find("compounddef"), *root.iter("memberdef")]:
            brief = "".join(item.find("briefdescription").itertext()).strip()
            page, _, anchor = item.get("id").rpartition("_1")
            if item.tag == "compounddef":
                yield name, brief, f"cpp/{item.get('id')}.html"
            elif brief and page == compound.get("refid"):
                title = f"{name}::{item.findtext('name')}"
                yield title, brief, f"cpp/{page}.html#{anchor}"


def python_entries(folder: Path):
    """Title, text and address of each name of the Python reference."""
    for page in sorted(folder.glob("kp*.html")):
        text = page.read_text("utf-8")
        yield page.stem, "Python reference", f"python/{page.name}"
        for section in re.finditer(r'<section id="([\w.]+)">(.*?)(?=<section|\Z)', text, re.S):
            doc = re.search(r'<div class="docstring">(.*?)</div>', section[2], re.S)
            plain = re.sub(r"<[^>]+>", "", doc[1]).strip() if doc else ""
            title = f"{page.stem}.{section[1]}"
            yield title, plain.split("\n\n")[0], f"python/{page.name}#{section[1]}"


def on_post_build(config) -> None:
    site = Path(config["site_dir"])
    index = site / "search" / "search_index.json"
    found = json.loads(index.read_text("utf-8"))
    pages = Path(config["docs_dir"])
    entries = [*cpp_entries(pages.parent / "xml"), *python_entries(site / "python")]
    if len(entries) < 500:
        raise SystemExit(f"the references have only {len(entries)} names")
    found["docs"] += [
        {"location": location, "title": title, "text": text} for title, text, location in entries
    ]
    index.write_text(json.dumps(found), "utf-8")
