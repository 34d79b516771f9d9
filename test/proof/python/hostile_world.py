# SPDX-License-Identifier: Apache-2.0
"""The functions of the stub, and objects and hostile arguments for them, for hostile_arguments.py."""

from __future__ import annotations

import ast
import random
import threading
from pathlib import Path

#: They take ownership of file descriptors and addresses, so wrong ones are errors of the caller.
TRUSTED = {"ExternalMemory", "import_memory", "tensor_at_cuda", "copy_from_cuda"}
STUB = Path(__file__).parents[3] / "python" / "kp" / "_kp.pyi"


class Callable:
    """A function of the stub: its class (or none), its name, its kind and its parameters."""

    def __init__(self, owner: str, node: ast.FunctionDef) -> None:
        self.owner = owner
        self.name = node.name
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        self.kind = "method" if owner else "function"
        if "property" in marks:
            self.kind = "get"
        elif any(mark.endswith(".setter") for mark in marks):
            self.kind = "set"
        elif "staticmethod" in marks or "classmethod" in marks:
            self.kind = "static"
        elif self.name == "__init__":
            self.kind = "new"
        every = node.args.posonlyargs + node.args.args
        if self.kind in ("method", "get", "set", "new"):
            every = every[1:]
        self.positional = [(a.arg, ast.unparse(a.annotation or ast.Constant(""))) for a in every]
        self.keywords = [
            (a.arg, ast.unparse(a.annotation or ast.Constant(""))) for a in node.args.kwonlyargs
        ]

    def __str__(self) -> str:
        return f"{self.owner}.{self.name} ({self.kind})" if self.owner else self.name


def read_stub() -> list[Callable]:
    found = []
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.append(Callable("", node))
        elif isinstance(node, ast.ClassDef) and not any(
            "Enum" in ast.unparse(base)
            or "Flag" in ast.unparse(base)
            or "Protocol" in ast.unparse(base)
            for base in node.bases
        ):
            found += [Callable(node.name, f) for f in node.body if isinstance(f, ast.FunctionDef)]
    return [each for each in found if each.owner not in TRUSTED and each.name not in TRUSTED]


SHADER = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(push_constant) uniform P { float x; };
void main() { a[gl_GlobalInvocationID.x] += x; }
"""


def set_event(event: object) -> None:
    try:
        event.set()
    except Exception:  # it was set, or has no contents
        pass


class World:
    """Live objects of most classes."""

    def __init__(self, dice: random.Random, callables: list[Callable]) -> None:
        import kp
        import kp._kp as module

        self.dice = dice
        self.kp = kp
        self.module = module
        self.objects: dict[str, list[object]] = {}
        manager = kp.Manager()
        self.shader = kp.compile(SHADER)
        tensors = [manager.tensor([1.0, 2.0, 3.0, 4.0], kind) for kind in kp.MemoryTypes]
        self.victims = [manager.tensor([5.0]), manager.tensor([6.0]), manager.sequence()]
        algorithm = manager.algorithm([tensors[0]], self.shader, push_consts=[1.0])
        sequence = manager.sequence()
        sequence.record(kp.OpAlgoDispatch(algorithm)).eval()
        queue = manager.queue()
        pending = kp.UserEvent()
        group = kp.DeviceGroup(device_ids=[0, 0])
        for thing in (
            *tensors,
            manager,
            manager.image([1.0, 2.0], 2, 1, 1),
            algorithm,
            sequence,
            queue,
            sequence.event(),
            pending,
            group,
            kp.Buffer((4,), "float32", group=group),
            kp.Profiler(),
        ):
            self.add(thing)
        for name in sorted({each.owner for each in callables}):
            if not name or name in self.objects or not hasattr(module, name):
                continue
            made = [each for each in callables if each.owner == name and each.kind == "new"]
            for _ in range(4 if made else 0):
                try:
                    each = dice.choice(made)
                    self.add(
                        getattr(module, name)(*(self.plausible(a) for _, a in each.positional))
                    )
                    break
                except Exception:
                    continue

    def add(self, thing: object) -> None:
        if type(thing).__name__ == "UserEvent":  # work may wait for it
            timer = threading.Timer(0.2, set_event, [thing])
            timer.daemon = True
            timer.start()
        for cls in type(thing).__mro__[:-1]:
            self.objects.setdefault(cls.__name__, []).append(thing)

    def any(self, name: str) -> object:
        known = self.objects.get(name)
        if known and self.dice.random() < 0.97:
            return self.dice.choice(known)
        cls = getattr(self.module, name)
        return cls.__new__(cls)  # a class may refuse

    def plausible(self, annotation: str) -> object:
        """A value that a call with this annotation may accept."""
        dice = self.dice
        if " | " in annotation and "[" not in annotation:
            return self.plausible(dice.choice(annotation.split(" | ")))
        if "Callable" in annotation:
            return lambda *_, **__: None
        if "Mapping" in annotation or "dict" in annotation:
            return {}
        for word in ("Sequence[", "Iterable[", "list[", "tuple["):
            if word in annotation:
                inner = annotation.split(word, 1)[1].rsplit("]", 1)[0].split(",")[0]
                return [self.plausible(inner) for _ in range(dice.randrange(4))]
        for name in self.objects:
            if name in annotation.split(".")[-1]:
                return dice.choice(self.objects[name])
        simple = {
            "SupportsIndex": lambda: dice.randrange(5),
            "int": lambda: dice.randrange(5),
            "SupportsFloat": lambda: dice.random(),
            "float": lambda: dice.random(),
            "bool": lambda: dice.random() < 0.5,
            "str": lambda: dice.choice(["", "x", "sum", "float32", "all", "a", "core"]),
            "_Shader": lambda: dice.choice([self.shader, SHADER]),
            "_Range": lambda: dice.choice(self.objects["Tensor"]),
            "_Operator": lambda: dice.choice(["sum", "max", "min"]),
            "_Events": lambda: [dice.choice(self.objects["Event"])],
            "_Extent": lambda: dice.choice([1, (2, 2), [4]]),
            "_Path": lambda: "file",
            "bytes": lambda: b"1234",
            "DTypeLike": lambda: dice.choice(["float32", "uint8", "int64"]),
            "None": lambda: None,
        }
        return simple.get(annotation, lambda: [1.0, 2.0, 3.0, 4.0])()

    def hostile(self, depth: int = 0) -> object:
        import numpy as np

        dice = self.dice
        kind = dice.randrange(8 if depth < 2 else 5)
        if kind == 0:
            return dice.choice(
                [
                    0,
                    1,
                    2,
                    -1,
                    2**31 - 1,
                    2**31,
                    2**32,
                    2**63 - 1,
                    2**63,
                    2**64 - 1,
                    2**64,
                    -(2**63),
                    10**30,
                    True,
                ]
            )
        if kind == 1:
            return dice.choice([float("nan"), float("inf"), -float("inf"), 1e308, -0.0, 1.5, 1j])
        if kind == 2:
            return dice.choice(
                [
                    None,
                    "",
                    "x",
                    "\0",
                    "\ud800",
                    "é" * 1000,
                    b"",
                    b"\0" * 7,
                    bytearray(8),
                    object(),
                    int,
                    Ellipsis,
                    NotImplemented,
                    len,
                    memoryview(bytearray(8)),
                ]
            )
        if kind == 3:
            return dice.choice(
                [
                    np.empty(0),
                    np.float32(1),
                    np.array(5),
                    np.arange(8)[::-2],
                    np.array([None, "x"]),
                    np.zeros(3, "i4,f8"),
                    np.zeros(3, ">f4"),
                    np.ones(3, complex),
                    np.broadcast_to(np.float32(1), (2**40,)),
                    np.full(4, np.nan, "f4"),
                    np.ones((1,) * 30),
                    np.frombuffer(b"12345678", "f4"),
                    np.array("2020", "M8[D]"),
                ]
            )
        if kind == 4:
            return self.trap()
        if kind == 5:
            known = [thing for each in self.objects.values() for thing in each]
            return dice.choice(known + self.victims)
        if kind == 6:
            items = [self.hostile(depth + 1) for _ in range(dice.randrange(4))]
            if dice.random() < 0.1:
                items.append(items)
            if dice.random() < 0.05:
                for _ in range(2000):
                    items = [items]
            return dice.choice([list, tuple, iter])(items)
        return {
            dice.choice(["x", "a", 0, None, -1]): self.hostile(depth + 1)
            for _ in range(dice.randrange(3))
        }

    def trap(self) -> object:
        """An object whose special methods raise, lie, or use and destroy other objects."""
        import numpy as np

        dice = self.dice
        victim = dice.choice(self.victims)
        growing = bytearray(16)
        behaviour = dice.randrange(5)

        def act(answer: object) -> object:
            if behaviour == 0:
                raise ValueError("a trap")
            if behaviour == 1:
                victim.destroy()
            elif behaviour == 2:
                victim.size() if hasattr(victim, "size") else victim.eval()
            elif behaviour == 3:
                return dice.choice([None, -1, 2**70, "x", object()])
            try:
                growing.extend(b"more")
            except BufferError:
                pass
            return answer

        def item(key: object) -> object:
            if (
                isinstance(key, int) and key > 8
            ):  # an endless sequence is read forever, as by list()
                raise IndexError(key)
            return act(1.0)

        methods = {
            "__array__": lambda self, *a, **k: act(np.ones(4, "f4")),
            "__index__": lambda self: act(1),
            "__int__": lambda self: act(1),
            "__float__": lambda self: act(1.0),
            "__len__": lambda self: act(2),
            "__getitem__": lambda self, key: item(key),
            "__iter__": lambda self: act(iter([1.0, 2.0])),
            "__bool__": lambda self: act(True),
            "__str__": lambda self: act("x"),
            "__repr__": lambda self: act("x"),
            "__hash__": lambda self: act(1),
            "__eq__": lambda self, other: act(True),
            "__fspath__": lambda self: act("file"),
            "__call__": lambda self, *a, **k: act(1),
            "__dlpack__": lambda self, *a, **k: act(object()),
            "__dlpack_device__": lambda self: act((1, 0)),
            "__kp_shader__": lambda self: act(b"1234"),
            "keys": lambda self: act(["x"]),
            "dtype": property(lambda self: act("f4")),
            "shape": property(lambda self: act((2,))),
            "__del__": lambda self: victim.destroy() if behaviour == 1 else None,
        }
        chosen = dice.sample(sorted(methods), dice.randrange(1, 8))
        if dice.random() < 0.2:
            return memoryview(growing)
        base = dice.choice([object, object, object, int, float, str, list, dict, tuple])
        return type("Trap", (base,), {name: methods[name] for name in chosen})()

    def argument(self, annotation: str) -> object:
        return self.plausible(annotation) if self.dice.random() < 0.6 else self.hostile()
