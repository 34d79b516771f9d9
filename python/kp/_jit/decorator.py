# SPDX-License-Identifier: Apache-2.0
"""The decorator, its calls, and the kernels that it has compiled."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .._errors import ShaderError
from .._kp import Buffer, Memory, _checks, _compile_kernel, _keep_kernel
from .._shaders.reflection import reflect
from .._wording import explains_keywords
from .._kernels.call import number_of
from .._kernels.launching import Launchable
from .._kernels.parameters import KEYWORDS, Extent, KernelParameter, Signature
from .._kernels.plans import number_key
from .._kernels.shader import KernelShader
from .source import Source
from .types import WEAK_INT, ArrayType, Type, annotation_of, is_int32, of_dtype, of_value

if TYPE_CHECKING:
    from .unit import Unit

Specs = dict[str, "ArrayType | Type"]


def _size_of(local_size: int | tuple[int, ...] | None) -> tuple[int, int, int] | None:
    if local_size is None:
        return None
    given = tuple(local_size) if isinstance(local_size, (tuple, list)) else (local_size,)
    if not 1 <= len(given) <= 3 or min(given) < 1:
        raise ValueError(f"local_size is a number or up to three, but was given {local_size!r}")
    return (*given, *(1,) * (3 - len(given)))  # type: ignore[return-value]


def _unchanged(captured: Mapping[tuple[Source, str], Any]) -> bool:
    """Return whether the constants that a function refers to are still the same."""
    for (source, name), value in captured.items():
        try:
            now = source.lookup(name)
        except KeyError:
            return False
        if isinstance(value, np.ndarray) or isinstance(now, np.ndarray):
            same = isinstance(now, np.ndarray) and now.dtype == getattr(value, "dtype", None)
            if not same or not np.array_equal(now, value, equal_nan=now.dtype.kind == "f"):
                return False
        elif now is not value and now != value:
            return False
    return True


def _shader(name: str, unit: Unit) -> KernelShader:
    glsl = unit.glsl
    text = (glsl, (), None, f"{name}.comp", "none")
    spirv = _compile_kernel(*text)
    reflection = reflect(spirv)
    bindings = sorted(each.binding for each in reflection.bindings)
    known = {each.binding: each for each in reflection.bindings}
    place = unit.bindings
    first = len(bindings)
    global_size = first if unit.has_global_size else None
    first += unit.has_global_size
    parameters = []
    for parameter, spec in unit.specs.items():
        if isinstance(spec, Type):
            index = first + unit.values.index(parameter)
            parameters.append(
                KernelParameter(parameter, index, "value", np.dtype(spec.scalar), spec.components)
            )
            continue
        binding = place.get(parameter, -1)
        element = spec.element
        scalar = {"bool": "uint8", "complex64": "float32"}.get(element.scalar, element.scalar)
        dtype = np.dtype(scalar)
        parameters.append(
            KernelParameter(
                name=parameter,
                index=bindings.index(binding) if binding in known else -1,
                kind="buffer",
                dtype=dtype,
                components=element.components,
                stride=element.components * dtype.itemsize,
                reads=binding in known and known[binding].reads,
                writes=binding in known and known[binding].writes,
                ndim=spec.ndim,
            )
        )
    first += len(unit.values)
    return KernelShader(
        name=name,
        spirv=spirv,
        reflection=reflection,
        parameters=tuple(parameters),
        axes=unit.axes,
        by_index=tuple(unit.by_index),
        places=tuple((*key, place) for key, place in unit.places.items()),
        extents=tuple(Extent(first + i, *each) for i, each in enumerate(unit.extents)),
        global_size=global_size,
        folds=unit.axes == 1,
        glsl=glsl,
        unchanged=functools.partial(_unchanged, unit.captured),
        keep=lambda folder: _keep_kernel(folder, *text),
    )


class JitFunction(Launchable):
    """A Python function that runs on the device. Made by @kp.jit.

    It is compiled at the first call with arguments of certain types. Any thread may call it.
    """

    def __init__(
        self, function: Callable[..., Any], local_size: int | tuple[int, ...] | None, threads: Any
    ) -> None:
        if not inspect.isfunction(function):
            raise TypeError(f"@kp.jit takes a function, not {type(function).__name__}")
        functools.update_wrapper(self, function)
        self.__name__: str = function.__name__
        self.__kp_function__ = function
        self._source = Source(function)
        self._local_size = _size_of(local_size)
        self._compiled: dict[tuple[Any, ...], KernelShader] = {}
        self._last_compiled: KernelShader | None = None
        self._specs_of: dict[tuple[Any, ...], Specs] = {}  # by the types of a call
        self._last_types: tuple[Any, ...] = ()
        self._names: list[str] = []
        self._annotated: Specs = {}
        defaults: dict[str, Any] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                self._source.fail(self._source.node, f"*{name} cannot be used in kernels")
            if name in KEYWORDS:
                self._source.fail(
                    self._source.node,
                    f"'{name}' is a keyword of the calls of kernels; rename the parameter",
                )
            self._names.append(name)
            if (found := self._source.annotation(name)) is not None:
                self._annotated[name] = WEAK_INT if annotation_of(function, name) is int else found
            if parameter.default is not parameter.empty:
                defaults[name] = parameter.default
        super().__init__(Signature(self.__name__, self._names, defaults=defaults), threads)

    @property
    def glsl(self) -> str:
        """The GLSL of the last call, or of the annotated types. Raises ShaderError without either."""
        return self._known().glsl

    @property
    def spirv(self) -> bytes:
        """The compiled shader of the last call, or of the annotated types."""
        return self._known().spirv

    def _known(self) -> KernelShader:
        if self._last_compiled is None:
            missing = [name for name in self._names if name not in self._annotated]
            if missing:
                raise ShaderError(
                    f"{self.__name__} is compiled for the types of its arguments; call it first, or "
                    f"annotate {', '.join(missing)}, as in {missing[0]}: 'float[:]'"
                )
            self._last_types = ("annotated",)
            self._specs_of[self._last_types] = dict(self._annotated)
            self._last_compiled = self._compiled_for(self._last_types)
        return self._last_compiled

    def specialize(self, *args: Any, **kwargs: Any) -> str:
        """Compile for the arguments of a call without launching, and return the GLSL."""
        return self._shader_for(self._signature.bind(args, kwargs)).glsl

    def _shader_for(self, values: Mapping[str, Any]) -> KernelShader:
        given = self._given(values)
        types = tuple(_key(given.get(name)) for name in self._names)
        compiled = self._compiled.get((_checks(), *types))
        if compiled is None or not compiled.is_current():
            self._specs_of[types] = self._specs(given)
            compiled = self._compiled_for(types)
        self._last_compiled, self._last_types = compiled, types
        return compiled

    def _compiled_for(self, types: tuple[Any, ...]) -> KernelShader:
        """Compile for types of earlier calls and the checks of this thread."""
        compiled = self._compile(self._specs_of[types])
        key = (_checks(), *types)
        self._compiled[key] = compiled
        return compiled

    def __kp_shader__(self) -> bytes:
        self._known()
        compiled = self._compiled.get((_checks(), *self._last_types))
        return (compiled or self._compiled_for(self._last_types)).spirv

    def _compile(self, specs: Specs) -> KernelShader:
        try:
            return _shader(self.__name__, self._unit(specs))
        except ShaderError as error:
            raise error.with_traceback(None) from None  # its place is in the function

    def _unit(self, specs: Specs, interpreted: bool = False) -> Unit:
        """Translate the function for arguments of certain types."""
        from .unit import Unit  # most programs that import this package compile no functions

        size = self._local_size or (64, 1, 1)
        unit = Unit(self._source, specs, size, interpreted=interpreted)
        if self._local_size is None and unit.axes > 1:
            size = (8, 8, 1) if unit.axes == 2 else (4, 4, 4)
            unit = Unit(self._source, specs, size, interpreted=interpreted)
        return unit

    def python(self, *args: Any, threads: Any = None, **kwargs: Any) -> Any:
        """Run the kernel in Python, one work item after the other, and return the arrays that it
        writes.

        Breakpoints, `print` and coverage work, and numbers have the types and the rounding of the
        device. Barriers and subgroups work, too. An index outside of an array is an IndexError, an
        integer division by zero a ZeroDivisionError, and a failed check an AssertionError.

        - `args`, `kwargs`, `threads`: as in a call. Arrays of NumPy and tensors are changed in place.
        """
        from .._interpreter.run import run

        values = self._signature.bind(args, kwargs)
        try:
            unit = self._unit(self._specs(self._given(values)), interpreted=True)
            shader = _shader(self.__name__, unit)
        except ShaderError as error:
            raise error.with_traceback(None) from None  # its place is in the function
        return run(unit, shader, values, self._threads if threads is None else threads)

    def _given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments, with arrays without axes replaced by their numbers."""
        return {
            name: value if isinstance(self._annotated.get(name), ArrayType) else number_of(value)
            for name, value in values.items()
        }

    def _specs(self, values: Mapping[str, Any]) -> Specs:
        specs: dict[str, ArrayType | Type] = {}
        self._signature.refuse(
            [
                name
                for name in self._names
                if name not in values and not isinstance(self._annotated.get(name), ArrayType)
            ]
        )
        weak = []
        for name in self._names:
            spec = self._spec(name, values.get(name))
            specs[name] = spec
            if isinstance(spec, Type) and spec.weak and spec.is_float:
                weak.append(name)
        types = [each.element if isinstance(each, ArrayType) else each for each in specs.values()]
        wide = any(each.scalar == "float64" for each in types)
        for name in weak:
            own = specs[name]
            assert isinstance(own, Type)
            specs[name] = Type("float64") if wide else own.strong
        return specs

    def _spec(self, name: str, value: Any) -> ArrayType | Type:
        annotated = self._annotated.get(name)
        if value is None:
            assert annotated is not None
            return annotated
        where = f"kernel '{self.__name__}': {name}"
        if not _is_array(value):
            if isinstance(annotated, ArrayType):
                raise TypeError(
                    f"{where} is an array, but was given {type(value).__name__} {value!r:.60}"
                )
            found = annotated or of_value(value)
            if found == WEAK_INT and not is_int32(value):
                found = Type("int64")
            if found is None and isinstance(value, tuple) and 2 <= len(value) <= 4:
                found = Type("float32", len(value))
                if all(isinstance(each, int) for each in value):
                    found = Type("int32", len(value))
            if found is None:
                raise TypeError(
                    f"{where} was given {type(value).__name__} {value!r:.60}, but kernels take arrays, "
                    "numbers, and tuples of 2 to 4 numbers; make a NumPy array of a list"
                )
            return found
        if isinstance(annotated, Type):
            if isinstance(value, np.ndarray) and value.size == annotated.components > 1:
                return annotated
            raise TypeError(
                f"{where} is {annotated.said}, but was given an array of shape {tuple(value.shape)}"
            )
        dtype, shape = value.dtype, tuple(value.shape)
        if annotated is not None:
            axes = (
                len(shape)
                + len(dtype.shape)
                - (annotated.element.rows > 1)
                - (annotated.element.columns > 1)
            )
            return ArrayType(annotated.element, annotated.ndim or axes)
        try:
            element = of_dtype(dtype)
        except TypeError as error:
            raise TypeError(f"{where}: {error}") from None
        return ArrayType(element, len(shape))

    def __repr__(self) -> str:
        return f"<kp.jit {self.__name__}({', '.join(self._names)})>"


def _is_array(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    known = ("__kp_tensor__", "__kp_parts__")  # of kp.Array and kp.GroupArray
    return isinstance(value, (Memory, Buffer)) or any(hasattr(value, each) for each in known)


def _key(value: Any) -> Any:
    """Return the part of an argument for which kernels are compiled."""
    if _is_array(value):
        return (value.dtype, len(value.shape))
    return number_key(value)


@overload
def jit(function: Callable[..., Any]) -> JitFunction: ...
@overload
def jit(
    function: None = None, *, local_size: int | tuple[int, ...] | None = None, threads: Any = None
) -> Callable[[Callable[..., Any]], JitFunction]: ...
@explains_keywords
def jit(
    function: Callable[..., Any] | None = None,
    *,
    local_size: int | tuple[int, ...] | None = None,
    threads: Any = None,
) -> Any:
    """Compile a Python function as a kernel: a decorator.

    ```python
    @kp.jit
    def saxpy(a, x, y):
        i = kp.global_id()
        y[i] += a * x[i]


    saxpy(2.0, x, y)
    ```

    - `local_size`: work items of a group; 64, (8, 8) or (4, 4, 4) by default.
    - `threads`: the default number of work items; a number, up to three, or a function of the
      arrays by name. By default there is one for each element of the largest array.

    Errors in the function raise ShaderError, which points at the line.
    """
    if function is None:
        return lambda each: JitFunction(each, local_size, threads)
    return JitFunction(function, local_size, threads)
