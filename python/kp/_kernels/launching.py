# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels: arrays and numbers by name become launches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from .._tensors.cuda import events_of, has_streams
from .._kp import Buffer, Manager, Queue, checked
from .call import Call, Events, checks_of, manager_of
from .on_groups import launch_on_group, launch_on_parts
from .parameters import Signature
from .plans import CallPlan, LastCall, key_of, plan_of, repeat
from .shader import KernelShader

_MAX_PLANS = 64


class Launchable(ABC):
    """A kernel that is called with arrays. It caches the work that similar calls share.

    - `threads`: the default number of work items.
    """

    def __init__(self, signature: Signature, threads: Any) -> None:
        self._signature = signature
        self._threads = threads
        self._plans: dict[tuple[Any, ...], CallPlan] = {}
        self._last: LastCall | None = None

    @abstractmethod
    def _shader_for(self, values: Mapping[str, Any]) -> KernelShader:
        """Return the shader for the arguments of a call."""

    @abstractmethod
    def _known(self) -> KernelShader:
        """Return the shader of the last call."""

    def __kp_shader__(self) -> bytes:
        return self._known().spirv

    def _keep(self, folder: str) -> None:
        self._known()._keep(folder)

    def __getitem__(self, threads: Any) -> Sized:
        return Sized(self, threads)

    def __call__(
        self,
        *args: Any,
        threads: Any = None,
        mgr: Manager | None = None,
        queue: Queue | None = None,
        wait_for: Events = None,
        target: str | int = "all",
        **kwargs: Any,
    ) -> Any:
        """Launch it with arrays and numbers, and return the arrays that it writes.

        - `args`, `kwargs`: the arguments, by position or by name. Arrays that it only writes may be
          omitted; they get the shape of the largest array given.
        - `threads`: the number of work items, or up to three (x, y, z). By default there is one for
          each element of the largest array.
        - `mgr`: the device for NumPy arrays; by default the tensors', or default_manager().
        - `queue`: by default the manager's default queue.
        - `wait_for`: the events to wait for.
        - `target`: the devices of a group that run it, if the arrays are kp.Buffers.

        Calls with NumPy arrays that are written wait for the result. Other calls return at once.
        """
        values = self._signature.bind(args, kwargs)
        if threads is None:
            threads = self._threads
        if wait_for is not None and has_streams(wait_for):
            wait_for = events_of(manager_of(self._shader_for(values), values, mgr), wait_for)
        last = self._last
        if last is not None and mgr is None and target == "all" and last.fits(values, threads):
            last.launcher(queue, wait_for)
            return last.written
        return self._launch(values, threads, mgr, queue, wait_for, target)

    def _forget(self) -> None:
        """Forget earlier calls: the shader has changed."""
        self._plans.clear()
        self._last = None

    def _launch(
        self,
        values: Mapping[str, Any],
        threads: Any,
        mgr: Manager | None,
        queue: Queue | None,
        wait_for: Events,
        target: str | int,
    ) -> Any:
        """Launch with arguments by name, and return the arrays that the kernel writes."""
        key = None
        if target == "all":
            key = key_of(self._signature, values, threads, mgr)
            plan = None if key is None else self._plans.get(key)
            if plan is not None and plan.shader.is_current():
                written, self._last = repeat(plan, values, threads, queue, wait_for)
                return written
        rest = (values, threads, mgr, queue, wait_for, target, key)
        if not (checks := checks_of(values, mgr)):
            return self._launch_first(*rest)
        with checked(checks):
            return self._launch_first(*rest)

    def _launch_first(
        self,
        values: Mapping[str, Any],
        threads: Any,
        mgr: Manager | None,
        queue: Queue | None,
        wait_for: Events,
        target: str | int,
        key: tuple[Any, ...] | None,
    ) -> Any:
        """Launch without a plan, which it keeps with the key."""
        shader = self._shader_for(values)
        if len(values) < len(shader.parameters):
            self._signature.refuse(shader.missing(values))
        arrays = [values[each.name] for each in shader.arrays if each.name in values]
        if any(isinstance(each, Buffer) for each in arrays):
            return launch_on_group(shader, values, threads, queue, mgr, wait_for, target)
        if any(hasattr(each, "__kp_parts__") for each in arrays):
            return launch_on_parts(
                shader,
                values,
                queue,
                mgr,
                target,
                lambda own, manager: self._launch(own, threads, manager, None, wait_for, "all"),
            )
        if target != "all":
            raise TypeError(
                f"kernel '{shader.name}': target selects devices of a group, but no kp.Buffer was "
                "given"
            )
        if mgr is not None and not isinstance(mgr, Manager):
            raise TypeError(f"mgr must be a kp.Manager, not {type(mgr).__name__}")
        call = Call(shader, values, manager_of(shader, values, mgr))
        call.make_outputs(threads)
        launched = call.run(queue, wait_for, threads)
        if key is not None and (plan := plan_of(call, threads)) is not None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return call.outputs(launched, queue)


class Sized:
    """A kernel with a number of work items: `kernel[threads]`."""

    def __init__(self, kernel: Any, threads: Any) -> None:
        self._kernel = kernel
        self._threads = threads

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel with this number of work items."""
        if "threads" in kwargs:
            raise TypeError("the number of work items was given twice: in [] and as threads=")
        return self._kernel(*args, threads=self._threads, **kwargs)

    def __repr__(self) -> str:
        return f"{self._kernel!r}[{self._threads!r}]"
