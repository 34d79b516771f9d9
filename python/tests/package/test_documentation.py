# SPDX-License-Identifier: Apache-2.0
"""The snippets of the documentation, its links, the notebook, and the docstrings.

The output of the snippets is compared with the comments beside their print() calls.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import logging
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTS, run_python
from device_support import skipping_what_the_device_lacks

import kp

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "python" / "examples"
DOCS = ROOT / "docs"

# Wheels are tested in a folder without the examples and the documentation.
needs_examples = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="there are no examples here")
needs_docs = pytest.mark.skipif(not DOCS.is_dir(), reason="there is no documentation here")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, which programs write to."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- snippets -------------------------------------------------------------------------------------


class Notebook:
    """Runs pieces of code in one namespace, with `await` outside of functions."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__notebook__"}
        self.loop = asyncio.new_event_loop()

    def run(self, code: str, where: str, first_line: int = 1) -> str:
        """Run a piece of code and return its output."""
        source = "\n" * (first_line - 1) + code
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        compiled = compile(source, where, "exec", flags=flags, dont_inherit=True)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            result = eval(compiled, self.names)
            if inspect.iscoroutine(result):
                self.loop.run_until_complete(result)
        return output.getvalue()


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    made = Notebook()
    yield made
    made.names.clear()
    made.loop.run_until_complete(made.loop.shutdown_default_executor())
    made.loop.close()


def announced(code: str) -> list[str]:
    """Return the lines that a snippet prints according to its comments."""
    found = re.findall(r"^[ ]*print\(.*\)  # (.*)$", code, re.MULTILINE)
    return [*found, *re.findall(r"  # prints: (.*)$", code, re.MULTILINE)]


#: Every page, and the pages with Python in them.
TEXTS = {page.relative_to(DOCS).as_posix(): page.read_text("utf-8") for page in DOCS.rglob("*.md")}
PAGES = sorted(page for page, text in TEXTS.items() if "```python\n" in text)


@needs_docs
@pytest.mark.parametrize("page", PAGES)
def test_documentation_snippets_print_what_they_announce(page: str, notebook: Notebook) -> None:
    if page == "guides/dask.md":
        pytest.importorskip("distributed")
    if page == "guides/interop.md":
        torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU with CUDA")
    text = TEXTS[page]
    blocks = re.finditer(r"^```python\n(.*?)^```\n(\n```text\n(.*?)^```$)?", text, re.M | re.S)
    count = 0
    level = logging.getLogger("kp").level
    for block in blocks:
        code, shown = block[1], block[3]
        line = text.count("\n", 0, block.start(1)) + 1
        with skipping_what_the_device_lacks():
            printed = notebook.run(code, str(DOCS / page), line)
        expected = announced(code) + (shown.splitlines() if shown else [])
        if expected:
            assert printed.splitlines() == expected, f"{page}, line {line}"
        count += 1
    logging.getLogger("kp").setLevel(level)
    assert count == text.count("```python\n") >= 1


@needs_docs
def test_readme_program_prints_its_result(notebook: Notebook) -> None:
    readme = DOCS.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    block = re.search(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert block
    line = text.count("\n", 0, block.start(1)) + 1
    assert notebook.run(block[1], str(readme), line).splitlines() == announced(block[1]) != []


def anchors(page: Path) -> set[str]:
    """Return the names by which links reach the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


@needs_docs
def test_documentation_links_exist() -> None:
    pages = [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md"), EXAMPLES / "README.md"]
    assert len(pages) > 30
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?://|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            linked = page.parent / path if path else page
            assert linked.exists(), f"{page}: {target}"
            if anchor and linked.suffix == ".md":
                assert anchor in anchors(linked), f"{page}: {target}"


@needs_docs
def test_every_page_is_in_the_index() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)\)", TEXTS["README.md"]))
    assert not TEXTS.keys() - linked - {"README.md"}


@needs_docs
@pytest.mark.parametrize("origin", ["opencl-and-hysop", "vkdispatch"])
def test_tables_name_tests_that_exist(origin: str) -> None:
    tests = "".join(path.read_text("utf-8") for path in Path(TESTS).rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", TEXTS[f"migration/from-{origin}.md"])
    assert len(named) > 15
    assert not [name for name in named if f"def {name}(" not in tests]


@needs_examples
def test_notebook_runs(notebook: Notebook) -> None:
    path = EXAMPLES / "quick_start.ipynb"
    contents = json.loads(path.read_text(encoding="utf-8"))
    assert (contents["nbformat"], contents["nbformat_minor"]) >= (4, 5)
    cells = [cell for cell in contents["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for number, cell in enumerate(cells, 1):
        code = "".join(cell["source"])
        notebook.run(code, f"{path.name}, cell {number}")
        for output in cell["outputs"]:
            assert output["output_type"] != "error"


# --- reference and docstrings ---------------------------------------------------------------------


@pytest.mark.skipif(not (ROOT / "scripts").is_dir(), reason="there are no scripts here")
def test_reference_is_generated_without_the_extension(folder: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "python_reference.py"), run_name="reference")
    script["make_package"](folder)
    output = run_python(
        """
import inspect, sys
sys.path.insert(0, sys.argv[1])
import kp
assert kp.__file__.startswith(sys.argv[1]), kp.__file__
for name in kp.__all__:
    assert getattr(kp, name) is not None
print(inspect.signature(kp.Memory.read), hasattr(kp.Manager, "eval_algo_mult_def"))
""",
        str(folder),
        PYTHONPATH="",
    )
    assert output.startswith("(self, offset: 'int' = 0, count: 'int | None' = None, ")
    assert output.endswith("False\n")


def described(name: str, thing: object) -> Iterator[tuple[str, str]]:
    """Yield the names and docstrings of a public object and of its public members."""
    yield name, inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            is_member = callable(value) or isinstance(value, property)
            if is_member and not member.startswith("_"):
                yield f"{name}.{member}", inspect.getdoc(value) or ""


def test_everything_public_has_a_docstring() -> None:
    assert kp.__doc__
    names: dict[str, str] = {}
    for name in kp.__all__:
        if name != "__version__":
            names.update(described(f"kp.{name}", getattr(kp, name)))
    # pybind11 generates signatures, and a line for each enumerator.
    generated = re.compile(r"^\w+\(.*\) -> .*$|^\(.*\) -> .*$", re.MULTILINE)
    missing = [name for name, text in names.items() if not generated.sub("", text, 1).strip()]
    assert not missing, missing
