# SPDX-License-Identifier: Apache-2.0
"""Programs: recorded work that is saved to a file and run elsewhere."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence as Items
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _kp
from .._default import _manager_for
from .._errors import Error, InvalidArgument
from .._kp import KernelListLauncher, Launcher, Manager, OpBase, Sequence, Tensor
from .._wording import explains_methods
from ..arrays.array import Array
from ..arrays.creation import asarray


class ProgramTensor(NamedTuple):
    """A tensor or array that a program takes, gives, or both."""

    name: str
    #: NumPy's name of the type of its elements; "V12" for structs of 12 bytes.
    dtype: str
    shape: tuple[int, ...]
    #: Its contents are read.
    input: bool
    #: Its contents are results.
    output: bool


@explains_methods
class Program:
    """Recorded work that is saved to a file and run elsewhere, also from C++ and C.

    kp.function(step).program(u, v) makes one of a function of arrays, and Program.of() one of a
    sequence. It has the kernels as the driver gets them, so neither Python nor a shader compiler is
    needed to run it. Sizes are fixed; Program.join() puts programs for several into one.
    """

    __slots__ = ("_program",)

    _program: _kp._Program

    def __init__(self) -> None:
        raise TypeError(
            "a program is made by kp.Program.load(), kp.Program.of(), or program() of a kp.function"
        )

    @classmethod
    def _made(cls, program: _kp._Program) -> Program:
        self = object.__new__(cls)
        self._program = program
        return self

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, device: Manager | None = None, trusted: bool = False
    ) -> Program:
        """Read a program that save() wrote. `trusted` leaves out the validation of its kernels.

        Validated or not, load only what you would also execute: its kernels run on your device.
        Raises OSError, InvalidArgument for a damaged file, and Unsupported if the device lacks what
        the program needs.
        """
        content = Path(path).read_bytes()
        try:
            return cls.parse(content, device=device, trusted=trusted)
        except Error as error:
            error.args = (f"{os.fspath(path)}: {error}",)
            raise

    @classmethod
    def parse(
        cls, content: bytes, *, device: Manager | None = None, trusted: bool = False
    ) -> Program:
        """Read a program from the bytes of a file."""
        return cls._made(_kp._Program.parse(_manager_for(device), bytes(content), trusted))

    @classmethod
    def of(
        cls,
        work: Sequence | Launcher | KernelListLauncher,
        inputs: Mapping[str, Tensor],
        outputs: Mapping[str, Tensor],
        **parameters: Any,
    ) -> Program:
        """Make a program of the operations that a sequence has recorded, or of those that a call of
        a launcher, or of a list of launchers, launches with `parameters`.

        Runs get other tensors with these names; a tensor that is in both is changed in place. The
        contents of all other tensors are saved. OpSyncDevice and OpSyncLocal are left out.
        """
        return cls._made(_kp._Program.of(work, dict(inputs), dict(outputs), parameters))

    @classmethod
    def join(cls, programs: Items[Program]) -> Program:
        """Put programs for several sizes into one, which runs the one that fits."""
        return cls._made(_kp._Program.joined([each._program for each in programs]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the program to a file, whole or not at all."""
        path = Path(path)
        partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
        try:
            partial.write_bytes(self.content())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def content(self) -> bytes:
        """Return what save() writes."""
        return self._program.content()

    @property
    def device(self) -> Manager:
        """The manager that runs it."""
        manager: Manager = self._program.device
        return manager

    @property
    def variants(self) -> int:
        """The number of sizes that it runs with."""
        return self._program.variants()

    def tensors(self, variant: int = 0) -> tuple[ProgramTensor, ...]:
        """Return what a variant takes and gives: inputs first, each by name."""
        return tuple(ProgramTensor(*each) for each in self._program.tensors(variant))

    def __call__(self, /, **inputs: Any) -> Array | dict[str, Array]:
        """Run the program with arrays, or what kp.asarray() takes, and return its output.

        Several outputs are returned in a dict. The inputs stay as they are; of those that the
        program changes, the changed copies are outputs. Returns at once: reading waits.
        """
        types = {each.name: each.dtype for each in self.tensors() if each.input}
        arrays = {
            name: (
                value
                if isinstance(value, Array)
                else asarray(_converted(name, value, types.get(name)), device=self.device)
            )
            for name, value in inputs.items()
        }
        results: dict[str, Array] = self._program.run_with_arrays(arrays)
        return next(iter(results.values())) if len(results) == 1 else results

    def operation(self, **tensors: Tensor) -> OpBase:
        """Return an operation that runs the program with all its tensors, for sequences."""
        return self._program.operation(tensors)

    def run(self, **tensors: Tensor) -> None:
        """Copy the inputs to the device, run the program, copy the outputs back, and wait."""
        self._program.run(tensors)

    def __repr__(self) -> str:
        parts = [
            f"{each.name}: {each.dtype}{list(each.shape)}"
            + ("" if not each.output else " (in place)" if each.input else " (output)")
            for each in self.tensors()
        ]
        more = "" if self.variants == 1 else f", {self.variants} variants"
        return f"<kp.Program {', '.join(parts)}{more}>"


def _converted(name: str, value: Any, dtype: str | None) -> NDArray[Any]:
    """Return values in the type of an input, which holds them: only floats are rounded."""
    given = np.asarray(value)
    if dtype is None or given.dtype == dtype:
        return given
    held = given.dtype.kind != "c" or np.dtype(dtype).kind == "c"
    if held:
        with np.errstate(all="ignore"):
            converted = given.astype(dtype)
            if converted.dtype.kind in "fc":
                held = bool(np.array_equal(np.isfinite(converted), np.isfinite(given)))
            else:
                held = bool(np.array_equal(converted.astype(given.dtype), given))
    if not held:
        raise InvalidArgument(
            f"the program's {name!r} has elements of type {dtype}, which does not hold the values of "
            f"type {given.dtype} that were given; convert them with astype() first"
        )
    return converted


def named_parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of tuples, lists and dicts by names that say where they are: "state_1"."""
    if isinstance(value, (tuple, list)):
        for number, item in enumerate(value):
            yield from named_parts(item, f"{name}_{number}" if name else str(number))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from named_parts(item, f"{name}_{key}" if name else str(key))
    else:
        yield name, value


def add_array(name: str, array: Array, arrays: dict[str, Array]) -> None:
    """Add an array under a name that no other has."""
    if name in arrays:
        raise ValueError(f"two arrays of a program are called {name!r}; rename an argument")
    arrays[name] = array
