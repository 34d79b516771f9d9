#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of the Python package as web pages, from its docstrings and type hints.

    python3 scripts/python_reference.py FOLDER

It needs pdoc and NumPy (pip install pdoc numpy), but neither a built module nor a Vulkan driver.
Instead of the extension it reads the stub, python/kp/_kp.pyi, which has the same docstrings and
better signatures. Classes are documented without the methods of the old spelling, which have their
own page, kp.compat.early. kp.dask is only included if Dask is installed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "kp"

#: The types of the stub, and how the pages show them.
SIMPLER = {
    "_Shader": "bytes | str | os.PathLike | Kernel",
    "_Path": "str | os.PathLike",
    "_Constants": "ArrayLike | dict",
    "_SpecConstants": "ArrayLike | dict",
    "_Extent": "int | Items[int]",
    "SupportsIndex": "int",
    "SupportsFloat": "float",
    "NDArray[Any]": "np.ndarray",
    "np.dtype[Any]": "np.dtype",
    "DTypeLike": "np.dtype | type | str",
    "Self": "Any",
    "collections.abc.Sequence": "Items",
    "collections.abc.Iterable": "Iterable",
    "collections.abc.Iterator": "Iterator",
    "collections.abc.Generator": "Generator",
    "collections.abc.Mapping": "Mapping",
}
OLD_SPELLING = re.compile(r"The old\s+spelling; see\s+kp\.compat\.early\.")


def is_old(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and bool(
        OLD_SPELLING.search(ast.get_docstring(statement) or "")
    )


def aliases(tree: ast.Module) -> dict[str, str]:
    """The private type aliases of the stub, with their meanings."""
    found = {}
    for part in tree.body:
        if isinstance(part, ast.AnnAssign) and part.value and ast.unparse(part.target)[0] == "_":
            found[ast.unparse(part.target)] = ast.unparse(part.value).strip("'")
    return found


def module_from_stub(text: str, version: str) -> str:
    """The stub as a module that can be imported, with readable types."""
    tree = ast.parse(text)
    enums = []
    shown_as = aliases(tree) | SIMPLER
    # Drop the imports, the type aliases and the private classes.
    tree.body = [
        part
        for part in tree.body
        if not isinstance(part, (ast.ImportFrom, ast.AnnAssign))
        and not (isinstance(part, ast.ClassDef) and part.name.startswith("_"))
    ]
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            statement.body = [part for part in statement.body if not is_old(part)]
            if any(ast.unparse(base).startswith("enum.") for base in statement.bases):
                enums.append(statement.name)
    source = ast.unparse(tree)
    for name, shown in shown_as.items():
        source = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", shown, source)
    return "\n".join(
        [
            "from __future__ import annotations",
            "from collections.abc import Iterable, Iterator, Generator, Mapping, Sequence as Items",
            "from typing import Any",
            "class ArrayLike: __module__ = 'builtins'",
            source,
            f"for _enum in ({', '.join(enums)}):",
            "    _enum.__repr__ = _enum.__str__ = lambda self: f'{type(self).__name__}.{self.name}'",
            f"__version__ = {version!r}",
            "_number_types = list  # what the package asks for when it is imported",
        ]
    )


def make_package(folder: Path) -> None:
    """Copies the package to a folder, with the stub in place of the extension."""
    version = re.search(r"^\s+VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.M)
    if version is None:
        raise SystemExit("python_reference.py: CMakeLists.txt has no version")
    target = folder / "kp"
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "cli", "*.pyi")
    shutil.copytree(PACKAGE, target, ignore=ignored)
    stub = (PACKAGE / "_kp.pyi").read_text("utf-8")
    (target / "_kp.py").write_text(module_from_stub(stub, version[1]), "utf-8")
    # The class that describes arrays stands for the extension's, which has no docstrings.
    arrays = target / "arrays" / "array.py"
    bound = "if not TYPE_CHECKING:\n    Array = _bound(Array)\n"
    text = arrays.read_text("utf-8")
    if bound not in text:
        raise SystemExit("python_reference.py: arrays/array.py binds kp.Array in another way")
    arrays.write_text(text.replace(bound, ""), "utf-8")
    # Drop the code after the list of names. It installs the methods of the old spelling, and
    # enumerators named int and float, which pdoc would take for the types.
    package = (target / "__init__.py").read_text("utf-8").split("\n_copying.install()\n")[0]
    package = package.replace("\nfrom . import", "\nfrom typing import Any\n\nfrom . import", 1)
    package += "\nimport numpy as np\n"
    (target / "__init__.py").write_text(package, "utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes the reference of the Python package.")
    parser.add_argument("folder", type=Path, help="folder for the pages")
    options = parser.parse_args(arguments)
    try:
        import pdoc
        import pdoc.render
    except ImportError:
        print("python_reference.py: pdoc is missing; run: pip install pdoc numpy", file=sys.stderr)
        return 2

    # pdoc warns about attributes of dataclasses, but documents them.
    warnings.filterwarnings("ignore", "Cannot determine where", UserWarning)
    with tempfile.TemporaryDirectory() as folder:
        make_package(Path(folder))
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        pdoc.render.configure(docformat="markdown", show_source=False, footer_text="Kompute")
        modules = ["kp", "kp.compat.early"]
        if importlib.util.find_spec("dask") is not None:
            modules.append("kp.dask")
        else:
            print("python_reference.py: SKIPPED: kp.dask, because Dask is not installed")
        pdoc.pdoc(*modules, output_directory=options.folder)
    print(f"wrote {options.folder / 'kp.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
