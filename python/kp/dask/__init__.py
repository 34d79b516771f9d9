# SPDX-License-Identifier: Apache-2.0
"""Kompute functions over the blocks of a Dask array.

```python
import dask.array as da
import kp.dask

x = da.random.random((20000, 20000), chunks=2000).astype("float32")
y = kp.dask.map_blocks(shader, x, factor=2.0)  # lazy, like every Dask array
y.mean().compute()
```

`on_device(x)` has kp.Arrays as blocks instead, on which Dask's own functions run.

The function is GLSL text, SPIR-V, a BlockKernel, a Prepared, or any function of a Manager and
blocks. It runs under every Dask scheduler. On a cluster, setup(client) distributes the workers of
each machine over its GPUs.
"""

from __future__ import annotations

try:
    import dask.array as _dask_array  # noqa: F401
except ImportError as error:
    raise ImportError(
        "kp.dask needs Dask, which is not installed: pip install 'kompute[dask]'", name=error.name
    ) from error

from ._arrays import from_dask, on_device, on_host, to_dask
from ._cache import Statistics, release, set_memory_limit, statistics
from ._kernel import BlockKernel
from ._managers import manager
from ._map import map_blocks, map_overlap
from ._prepared import Prepared
from ._setup import setup

__all__ = [
    "BlockKernel",
    "Prepared",
    "Statistics",
    "from_dask",
    "manager",
    "map_blocks",
    "map_overlap",
    "on_device",
    "on_host",
    "release",
    "set_memory_limit",
    "setup",
    "statistics",
    "to_dask",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
