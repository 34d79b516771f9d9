#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the type stubs of the package from the package itself.

    scripts/python_stubs.py                write the stubs
    scripts/python_stubs.py --check        fail if a committed stub is out of date, and run the
                                           type checkers on the package and on files that use it

_kp.pyi is the stub of the extension module; stubs/namespaces.py has the others, of kp, kp.fft,
kp.linalg and the methods of arrays.

--package FOLDER names the folder with a built package kp (default: build/ci/python). The
interpreter needs NumPy and, for --check, mypy. If it has basedpyright or pyright, --check runs that, too.

Names, defaults, documentation and most types come from the module; ARGUMENTS and RESULTS of
stubs/module_types.py give the others. A missing type is an error, and so is an unused entry of RESULTS.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import enum
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path

from stubs import namespaces
from stubs.module_types import ANYTHING, ARGUMENTS, HEADER, OVERRIDES, RESULTS, SPELLINGS
from stubs.text import Failure, defined, documented

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "kp"
USAGE = ROOT / "python" / "tests" / "typing"

#: Members that the stub does not have. kp.Tensor() takes the arguments of its __init__.
UNWRITTEN = {"__doc__", "__module__", "__weakref__", "__dict__", "__new__"}
USED: set[str] = set()


def refuses(member: object) -> bool:
    """Return whether a method exists to say that there is no such method."""
    return getattr(member, "__module__", "") == "kp._tensors.hints"


# --- One signature --------------------------------------------------------------------------------


def respell(text: str) -> str:
    for pattern, replacement in SPELLINGS:
        text = re.sub(pattern, replacement, text)
    return text


def known(type_: str | None) -> bool:
    """Whether a type is more specific than "some object"."""
    return type_ is not None and not re.search(
        r"\bobject\b|\b(list|dict|tuple|Iterator)\b(?!\[)", type_
    )


#: Types without their elements' types, which pybind11 gives for its own sequences and functions.
BARE = ("collections.abc.Sequence", "collections.abc.Callable", "Sequence", "Callable")


def argument_type(path: str, name: str, given: str | None) -> str:
    for key in (f"{path}.{name}", name):
        if key in ARGUMENTS and not known(given):
            return ARGUMENTS[key]
    if path.startswith("_") and (given is None or not known(given) or given in BARE):
        return "Any"  # of the package itself
    if given is None or not known(given):
        raise Failure(f"ARGUMENTS has no type for {path}.{name}")
    return given


def result_type(path: str, given: str | None) -> str:
    if path in RESULTS:
        USED.add(path)
        return RESULTS[path]
    if path.startswith("_") and (given is None or not known(given) or given in BARE):
        return "Any"
    if given is None or not known(given):
        raise Failure(f"RESULTS has no type for {path}, which returns '{given}'")
    return given


def source_of(default: ast.expr) -> str:
    if isinstance(default, ast.Constant) and isinstance(default.value, str):
        return '"' + default.value.replace('"', '\\"') + '"'
    return ast.unparse(default)


def _kind(path: str, given: str | None) -> str:
    return "Any" if path in ANYTHING else given or "object"


def render(path: str, function: ast.FunctionDef) -> tuple[list[str], str]:
    """The arguments of a function, with types and defaults, and the type of its result."""

    def text(node: ast.expr | None) -> str | None:
        return None if node is None else ast.unparse(node)

    def one(argument: ast.arg, default: ast.expr | None) -> str:
        if argument.arg == "self":
            return "self"
        rendered = f"{argument.arg}: {argument_type(path, argument.arg, text(argument.annotation))}"
        return rendered if default is None else f"{rendered} = {source_of(default)}"

    given = function.args
    missing: list[ast.expr | None] = [None] * (len(given.args) - len(given.defaults))
    arguments = [one(*pair) for pair in zip(given.args, [*missing, *given.defaults], strict=True)]
    # pybind11 names unnamed arguments arg0, arg1, ...
    if arguments and re.match(r"arg\d+:", arguments[-1]):
        arguments.append("/")
    if given.vararg:
        arguments.append(f"*{given.vararg.arg}: {_kind(path, text(given.vararg.annotation))}")
    elif given.kwonlyargs:
        arguments.append("*")
    arguments += [one(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        arguments.append(f"**{given.kwarg.arg}: {text(given.kwarg.annotation) or 'Any'}")
    return arguments, result_type(path, text(function.returns))


def parse(path: str, name: str, signature: str) -> ast.FunctionDef:
    """`signature` is "(arguments) -> result"."""
    try:
        function = ast.parse(f"def {name}{respell(signature)}: ...").body[0]
    except SyntaxError as error:
        raise Failure(f"the signature of {path} is not Python: {signature}") from error
    assert isinstance(function, ast.FunctionDef)
    return function


def signature_of(path: str, name: str, function: object) -> tuple[str, str]:
    """The signature and the documentation of a function in Python or C++."""
    if isinstance(function, types.FunctionType):
        signature = inspect.signature(function)
        plain = []
        for parameter in signature.parameters.values():
            if isinstance(parameter.default, enum.Enum):
                default = parameter.default
                parameter = parameter.replace(
                    default=_Named(f"{type(default).__name__}.{default.name}")
                )
            plain.append(parameter)
        text = str(signature.replace(parameters=plain)).replace("'", "\0")
        # Annotations are strings in quotes, but so are defaults. Remove the quotes of annotations.
        text = re.sub(r"(: |-> )\0([^\0]*)\0", r"\1\2", text).replace("\0", "'")
        return text, inspect.getdoc(function) or ""
    documentation = getattr(function, "__doc__", None) or ""
    first, _, rest = documentation.partition("\n")
    if "Overloaded function." in rest:
        raise Failure(f"{path} is overloaded, which this script does not support")
    if not first.startswith(f"{name}("):
        raise Failure(f"the documentation of {path} does not begin with its signature")
    return first[len(name) :], inspect.cleandoc(rest)


class _Named:
    """A default whose repr is a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


# --- The stub -------------------------------------------------------------------------------------


def write_function(path: str, name: str, function: object, indent: str) -> Iterator[str]:
    signature, documentation = signature_of(path, name, function)
    arguments, result = render(path, parse(path, name, signature))
    override = "  # type: ignore[override]" if path in OVERRIDES else ""
    yield from defined(name, arguments, result, documentation, indent, override)


def write_property(path: str, name: str, member: property) -> Iterator[str]:
    signature = (getattr(member.fget, "__doc__", None) or "").partition("\n")[0]
    returns = parse(path, name, signature).returns
    result = result_type(path, None if returns is None else ast.unparse(returns))
    documentation = inspect.cleandoc(member.__doc__ or "")
    yield "    @property"
    yield f"    def {name}(self) -> {result}:" + ("" if documentation else " ...")
    if documentation:
        yield from documented(documentation, "        ")
    if member.fset is not None:
        yield ""
        yield f"    @{name}.setter"
        yield f"    def {name}(self, value: {result}) -> None: ..."


def write_enum(class_: type[enum.Enum]) -> Iterator[str]:
    for name, member in class_.__members__.items():
        yield f"    {name} = {int(member.value)}"
    if "__call__" in vars(class_):  # which kp.arrays gives the element types
        yield ""
        path = f"{class_.__name__}.__call__"
        yield from write_function(path, "__call__", vars(class_)["__call__"], "    ")


def write_class(name: str, class_: type) -> Iterator[str]:
    base = class_.__bases__[0]
    if issubclass(class_, enum.Enum):
        yield f"class {name}(enum.{base.__name__}):"
    elif base.__module__ in ("kp", "kp.launcher", "kp._kp"):
        yield f"class {name}({base.__name__}):"
    else:
        yield f"class {name}:"
    yield from documented(inspect.cleandoc(class_.__doc__ or name), "    ")
    if issubclass(class_, enum.Enum):
        yield ""
        yield from write_enum(class_)
        return
    for key, member in vars(class_).items():
        path = f"{name}.{key}"
        if key in UNWRITTEN or key.startswith("_pybind11"):
            continue
        if refuses(member):
            continue
        if isinstance(member, types.WrapperDescriptorType):  # a class without a constructor
            continue
        yield ""
        if isinstance(member, staticmethod):
            yield "    @staticmethod"
            member = member.__func__
        if isinstance(member, property):
            yield from write_property(path, key, member)
        else:
            # A method that the package extends has the signature of the extension module's.
            yield from write_function(path, key, inspect.unwrap(member), "    ")


def generate(package: Path) -> str:
    sys.path.insert(0, str(package))
    sys.dont_write_bytecode = True
    module = importlib.import_module("kp._kp")
    if not Path(str(module.__file__)).resolve().is_relative_to(package):
        raise Failure(f"kp._kp was imported from {module.__file__}, not from {package}")
    lines = ["", "__version__: str"]
    for name, member in vars(module).items():
        if name == "Array":  # which kp.arrays completes; see HEADER
            continue
        if isinstance(member, type):
            lines += ["", *write_class(name, member)]
        elif callable(member):
            lines += ["", *write_function(name, name, inspect.unwrap(member), "")]
        elif not name.startswith("__"):
            raise Failure(f"{name} is neither a class nor a function")
    unused = RESULTS.keys() - USED
    if unused:
        raise Failure(f"RESULTS has unused entries: {', '.join(sorted(unused))}")
    return HEADER + "\n".join(lines) + "\n"


# --- Checks ---------------------------------------------------------------------------------------


def check_stubs(stubs: dict[str, str]) -> None:
    for name, text in stubs.items():
        stub = PACKAGE / name
        wanted = text.splitlines(keepends=True)
        present = stub.read_text("utf-8").splitlines(keepends=True) if stub.exists() else []
        if wanted != present:
            changes = "".join(difflib.unified_diff(present, wanted, "committed", "generated", n=2))
            raise Failure(
                f"{stub.relative_to(ROOT)} is out of date; run without --check to update it\n{changes}"
            )
    print("python_stubs.py: the stubs are up to date")


def without_stubs(folder: Path) -> Path:
    """Return a copy of the package without the stubs in whose place mypy shall check the files."""
    made = folder / "kp"
    shutil.copytree(PACKAGE, made, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in namespaces.STUBS.values():
        (made / name).unlink()
    return made


def check_types(package: Path) -> None:
    if importlib.util.find_spec("mypy") is None:
        raise Failure(f"{sys.executable} has no mypy")
    configuration = str(ROOT / "pyproject.toml")
    usage = [str(each) for each in sorted(USAGE.glob("*.py"))]
    tools = [("mypy", ["mypy", "--strict", str(PACKAGE), *usage])]
    if pyright := next(filter(importlib.util.find_spec, ["basedpyright", "pyright"]), ""):
        # Users see the stubs. mypy checks the files of the package.
        seen = [*(str(each) for each in sorted(PACKAGE.rglob("*.pyi"))), *usage]
        tools.append(("pyright", [pyright, "--pythonpath", sys.executable, *seen]))
    else:
        print("python_stubs.py: SKIPPED: pyright is not installed")
    with tempfile.TemporaryDirectory() as folder:
        accepted = Path(folder) / "accepted"
        accepted.write_text("\n".join(stubtest_accepts()), encoding="utf-8")
        own = str(without_stubs(Path(folder)))
        tools.append(
            # kp.arrays.namespace has its names from its modules, by stars: mypy does not see the lists.
            (
                "mypy without stubs",
                ["mypy", "--strict", "--implicit-reexport", "--config-file", configuration, own],
            )
        )
        tools.append(
            (
                "stubtest",
                [
                    "mypy.stubtest",
                    "kp._kp",
                    *("--mypy-config-file", configuration),
                    *("--allowlist", str(accepted), "--ignore-unused-allowlist"),
                ],
            )
        )
        for name, command in tools:
            result = subprocess.run(
                [sys.executable, "-m", *command],
                cwd=folder if name == "mypy without stubs" else ROOT,
                env={**os.environ, "PYTHONPATH": str(package)},
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            if result.returncode != 0:
                raise Failure(f"{name} found errors:\n{result.stdout}")
            print(f"python_stubs.py: {name} found no errors")


def stubtest_accepts() -> Iterator[str]:
    """The names of classes and enums that a stub does not have, most of which pybind11 adds."""
    for name, member in vars(sys.modules["kp._kp"]).items():
        if isinstance(member, type):
            path = re.escape(f"kp._kp.{name}")
            yield path  # the metaclass
            yield path + r"\.__pybind11_native_enum__"
            if isinstance(vars(member).get("__new__"), staticmethod):  # UNWRITTEN
                yield path + r"\.__new__"
            if "__init__" not in vars(member) or isinstance(
                vars(member)["__init__"], types.WrapperDescriptorType
            ):
                yield path + r"\.__init__"
            for key, method in vars(member).items():
                if refuses(method):
                    yield path + r"\." + key


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes or checks the stubs of the package.")
    parser.add_argument("--check", action="store_true", help="check the committed stubs instead")
    parser.add_argument(
        "--package",
        type=Path,
        default=ROOT / "build" / "ci" / "python",
        help="folder with a built package kp (default: build/ci/python)",
    )
    arguments = parser.parse_args()
    package = arguments.package.resolve()
    try:
        if not any((package / "kp").glob("_kp.*")):
            raise Failure(
                f"{package / 'kp'} has no built module; configure with "
                "-DKOMPUTE_OPT_BUILD_PYTHON=ON and build, or give --package FOLDER"
            )
        stubs = {"_kp.pyi": generate(package), **namespaces.generate()}
        if arguments.check:
            check_stubs(stubs)
            check_types(package)
            return 0
        for name, text in stubs.items():
            (PACKAGE / name).write_text(text, encoding="utf-8")
            print(f"python_stubs.py: wrote {(PACKAGE / name).relative_to(ROOT)}")
    except Failure as failure:
        print(f"python_stubs.py: FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
