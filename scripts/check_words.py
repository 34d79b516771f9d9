#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts stiff phrases in comments, messages and pages, of which an area may only have as many as before.

scripts/check_words.py            check the tree
scripts/check_words.py --list     show every place, as FILE:LINE: phrase
scripts/check_words.py --planted  plant each phrase and check that it is found
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A phrase, an example of it, and plain words for the example.
PHRASES = [
    (r"(?:those|that) of", "its shape is that of the input", "it has the input's shape"),
    # Questions that English asks this way stay.
    (
        r"what (?:is|are|was|were|it|they) (?!does|do|costs?|needs?|means?|prints|missing|wrong|stable|new|left|like)\w+",
        "frees what it holds",
        "frees its memory",
    ),
    (r"(?:whoever|whosoever)", "whoever calls it waits", "callers wait"),
    (r"(?:nobody|somebody|anybody)", "memory that nobody uses", "unused memory"),
    (
        r"(?<!there )(?:is|are) no (?!longer|more|less|fewer)\w+",
        "it is no number",
        "it is not a number",
    ),
    (
        r"(?:as|like) (?:earlier|later|other|older) ones",
        "as earlier ones do",
        "as in earlier versions",
    ),
    (r"whatever", "returns at once, whatever the device does", "returns at once"),
    (r"for ever\b", "waits for ever", "waits forever"),
    (r"let(?:s|ting)? go of", "lets go of it", "releases it"),
    (r"(?:has|have|had) it that", "the rule has it that", "the rule says that"),
]
WORDS = [
    (re.compile(rf"\b{phrase}", re.IGNORECASE), example, plain)
    for phrase, example, plain in PHRASES
]

SUFFIXES = {
    ".c",
    ".cpp",
    ".hpp",
    ".h",
    ".cu",
    ".py",
    ".pyi",
    ".glsl",
    ".comp",
    ".cmake",
    ".sh",
    ".md",
    ".toml",
    ".yml",
}
# Others' words, and the checks' examples.
IGNORED = ("scripts/check_words.py", "CONTRIBUTING.md", "shaders/data/", "third_party/", "LICENSE")

# How many an area has. The numbers may only fall: lower one when its area has fewer.
MOST = {
    ".": 2,
    "docs": 10,
    "python/tests": 2,
    "shaders": 2,  # in prebuilt modules, whose manifest has hashes of their sources
}


def area_of(file: str) -> str:
    """Returns the folder whose phrases are counted together."""
    parts = file.split("/")
    if len(parts) == 1:
        return "."
    return "/".join(parts[:2]) if parts[0] == "python" and len(parts) > 2 else parts[0]


def words_of(text: str) -> list[tuple[int, str]]:
    """Returns the line and the words of each phrase, which may go over the end of a comment's or a text's line."""
    joined = re.sub(r'"[ \t]*\n[ \t]*[fr]{0,2}"', lambda found: "\0" * len(found[0]), text)
    joined = re.sub(
        r"\n[ \t]*(?:///?<?|#:?|\*)?[ \t]+(?=[a-z])",
        lambda found: " " + "\0" * (len(found[0]) - 1),
        joined,
    )
    flat = joined.replace("\0", "")
    # Each character's line.
    found = []
    lines = []
    line = 1
    for before, after in zip(text, joined):
        if after != "\0":
            lines.append(line)
        line += before == "\n"
    for word, _, _ in WORDS:
        found += [(lines[match.start()], match[0]) for match in word.finditer(flat)]
    return sorted(found)


def sources() -> list[str]:
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return [
        file
        for file in files
        if Path(file).suffix in SUFFIXES and not file.startswith(IGNORED) and (ROOT / file).exists()
    ]


def check(counts: Counter) -> list[str]:
    """Returns what is wrong with the phrases' numbers, by area."""
    faults = []
    for area in sorted({*MOST, *counts}):
        most, count = MOST.get(area, 0), counts[area]
        if count > most:
            faults.append(
                f"{area} has {count} stiff phrases, more than {most}: write them plainly; "
                "scripts/check_words.py --list shows where they are"
            )
        elif count < most:
            faults.append(
                f"{area} has only {count} stiff phrases: lower its {most} in scripts/check_words.py"
            )
    return faults


def planted() -> int:
    """Checks that each phrase's example is found, its plain words are not, and that one more phrase fails."""
    missed = 0
    for word, example, plain in WORDS:
        text = example.replace(" ", ' "\n    "')
        for text in (
            f'fail("{text}")',
            f"/// {example}\n",
            f"    # {example.replace(' ', chr(10) + '    # ')}\n",
        ):
            if not any(word.fullmatch(found) or word.match(found) for _, found in words_of(text)):
                print(f"check_words.py does not notice: {text!r}", file=sys.stderr)
                missed += 1
        if words_of(plain):
            print(f"check_words.py takes as stiff: {plain}", file=sys.stderr)
            missed += 1
    more = Counter(MOST)
    more["src"] += 1
    fewer = Counter(MOST)
    area = max(MOST, key=MOST.__getitem__)
    fewer[area] -= 1
    for counts in (more, fewer):
        if len(check(counts)) != 1:
            print("check_words.py does not notice one phrase more or less", file=sys.stderr)
            missed += 1
    return missed


def main() -> int:
    if sys.argv[1:] == ["--planted"]:
        return 1 if planted() else 0
    counts: Counter = Counter()
    for file in sources():
        for line, words in words_of((ROOT / file).read_text(encoding="utf-8")):
            counts[area_of(file)] += 1
            if sys.argv[1:] == ["--list"]:
                print(f"{file}:{line}: {words}")
    if sys.argv[1:] == ["--list"]:
        return 0
    faults = check(counts)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
