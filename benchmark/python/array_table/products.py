# SPDX-License-Identifier: Apache-2.0
"""Products and linear algebra."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases

#: Work of the third power of the side: more elements would take too long beside processors.
CUBIC = 1 << 24
SLOW = 1 << 22
SLOWEST = 1 << 20


def products() -> Iterator[Case]:
    family = "products"
    yield from cases(family, "square @ other", "float16 float32", most=CUBIC, low=-1)
    yield from cases(family, "square @ other", "float64", most=SLOW, low=-1)
    yield from cases(family, "square @ other", "int8 int32 complex64", most=SLOWEST, high=9)
    yield from cases(family, ("xp.matmul(square, other)", "xp.dot(square, other)", "square.T @ other", "square @ other.T",
                              "square @ other + vector", "xp.maximum(square @ other + vector, 0)"),
                     most=SLOW, low=-1)  # fmt: skip
    yield from cases(family, "square @= other", most=SLOW, low=-0.1, high=0.1)
    yield from cases(family, "xp.matmul(blocks, blocks)", "float16 float32 float64")
    yield from cases(
        family, ("square @ vector", "vector @ square"), "float16 float32 float64 complex64"
    )
    yield from cases(
        family,
        ("table @ table[0]", "table.T @ table", "features @ features.T"),
        "float32 float64",
        tolerance=1e-3,
    )
    yield from cases(family, "xp.matvec(square, vector)", others=("square @ vector",))
    yield from cases(family, "xp.vecmat(vector, square)", others=("vector @ square",))
    yield from cases(
        family,
        ("xp.dot(x, y)", "xp.vdot(x, y)", "xp.inner(x, y)"),
        "float32 float64 complex64",
        tolerance=1e-3,
    )
    yield from cases(family, "xp.vecdot(table, table)", others=("(table * table).sum(axis=-1)",))
    yield from cases(
        family, ("xp.outer(vector, vector2)", "xp.inner(square, vector)"), "float32 float64"
    )
    yield from cases(family, "xp.kron(window2, square[::8, ::8])", "float32")
    yield from cases(family, "xp.cross(points, points2)", "float32 float64")
    yield from cases(family, "xp.tensordot(square, other, 1)", "float32", most=SLOW)
    yield from cases(
        family, "xp.tensordot(x, x, ((0, 1), (0, 1)))", "float32", "cube", most=SLOW, tolerance=1e-3
    )
    yield from cases(family, ("xp.einsum('ij,ij->i', square, other)", "xp.einsum('ij->j', square)", "xp.einsum('ij->ji', square)",
                              "xp.einsum('ij,j->i', square, vector)", "xp.einsum('i,j->ij', vector, vector2)",
                              "xp.einsum('ij,ij->', square, other)", "xp.einsum('ii->i', square)"), "float32 float64",
                     tolerance=1e-3)  # fmt: skip
    yield from cases(family, "xp.einsum('ij,jk->ik', square, other)", "float32", most=SLOW)
    yield from cases(family, "xp.einsum('bij,bjk->bik', blocks, blocks)", "float32")
    yield from cases(family, ("xp.trace(square)", "xp.diagonal(square).copy()", "xp.diag(square)", "xp.diag(vector)",
                              "xp.diagflat(vector)"))  # fmt: skip
    yield from cases(family, "xp.linalg.multi_dot([square, other, vector])", "float32",
                     others=("square @ (other @ vector)",), tolerance=1e-3)  # fmt: skip
    yield from cases(
        family, "xp.linalg.matmul(square, other)", "float32", most=SLOW, others=("square @ other",)
    )
    yield from cases(
        family, "xp.linalg.outer(vector, vector2)", "float32", others=("xp.outer(vector, vector2)",)
    )
    yield from cases(
        family, "xp.linalg.cross(points, points2)", others=("xp.cross(points, points2)",)
    )
    yield from cases(
        family,
        "xp.linalg.tensordot(square, other, axes=1)",
        most=SLOW,
        others=("xp.tensordot(square, other, 1)",),
    )
    yield from cases(
        family, "xp.linalg.vecdot(table, table)", others=("(table * table).sum(axis=-1)",)
    )
    yield from cases(
        family, "xp.linalg.trace(blocks)", others=("xp.trace(blocks, axis1=1, axis2=2)",)
    )
    yield from cases(
        family,
        "xp.linalg.diagonal(blocks).copy()",
        others=("xp.diagonal(blocks, axis1=1, axis2=2).copy()",),
    )
    yield from cases(
        family,
        "xp.linalg.matrix_transpose(blocks).copy()",
        others=("xp.swapaxes(blocks, 1, 2).copy()",),
    )


def linear_algebra() -> Iterator[Case]:
    family = "linear algebra"
    lin = "xp.linalg."
    both = "float32 float64"
    loose = {"float32": 2e-3, "float64": 1e-8}
    for dtype in both.split():
        more = {"tolerance": loose[dtype]}
        yield from cases(
            family,
            f"{lin}cholesky(definite)",
            dtype,
            most=CUBIC if dtype == "float32" else SLOW,
            **more,
        )
        yield from cases(
            family,
            (f"{lin}inv(well)", f"{lin}solve(well, vector)", f"{lin}solve(well, square)"),
            dtype,
            most=SLOW,
            **more,
        )
        yield from cases(family, f"{lin}slogdet(well)", dtype, most=SLOW, **more)
        yield from cases(family, f"{lin}det(well / side)", dtype, most=SLOWEST, **more)
        # Signs of columns are free.
        yield from cases(
            family, f"{lin}qr(square)", dtype, most=SLOW, check="np.abs(np.diagonal(r[1]))", **more
        )
        yield from cases(family, f"{lin}svd(well)", dtype, most=SLOWEST // 4, check="r[1]", **more)
        yield from cases(family, f"{lin}eigh(definite)", dtype, most=SLOWEST, check="r[0]", **more)
        yield from cases(family, f"{lin}eigvalsh(definite)", dtype, most=SLOWEST, **more)
        yield from cases(family, f"{lin}pinv(well)", dtype, most=SLOWEST // 4, **more)
        yield from cases(
            family,
            f"{lin}lstsq(table, table[:, 0])",
            dtype,
            most=1 << 22,
            check="np.round(r[0], 2)",
            **more,
        )
        for name in (
            "cholesky(definites)",
            "inv(wells)",
            "solve(wells, blocks)",
            "det(wells / 16)",
        ):
            yield from cases(family, lin + name, dtype, most=SLOW, **more)
        yield from cases(
            family, f"{lin}qr(wells)", dtype, most=SLOWEST, check="np.abs(r[1])", **more
        )
        yield from cases(family, f"{lin}svd(wells)", dtype, most=SLOWEST, check="r[1]", **more)
        yield from cases(family, f"{lin}eigh(definites)", dtype, most=SLOWEST, check="r[0]", **more)
        yield from cases(
            family,
            (
                f"{lin}norm(x)",
                f"{lin}norm(table, axis=1)",
                f"{lin}norm(square)",
                f"{lin}norm(square, 1)",
            ),
            dtype,
            **more,
        )
    small = {"most": 1 << 16, "tolerance": 1e-3}
    yield from cases(
        family, f"{lin}eig(definite)", "float64", check="np.sort(r[0])", **small, other_types=True
    )
    yield from cases(
        family, f"{lin}eigvals(definite)", "float64", check="np.sort(r)", **small, other_types=True
    )
    yield from cases(family, f"{lin}cond(well)", "float32", most=SLOWEST // 4, tolerance=1e-3)
    yield from cases(family, (f"{lin}matrix_rank(well)", f"{lin}svdvals(well)"), "float32", most=SLOWEST // 4, tolerance=1e-3,
                     others=(f"{lin}svd(well, compute_uv=False)",))  # fmt: skip
    yield from cases(
        family, f"{lin}matrix_power(square / side, 3)", "float32", most=SLOWEST, tolerance=1e-3
    )
    yield from cases(
        family, f"{lin}matrix_norm(blocks)", others=(f"{lin}norm(blocks, axis=(-2, -1))",)
    )
    yield from cases(
        family, f"{lin}vector_norm(table, axis=1)", others=(f"{lin}norm(table, axis=1)",)
    )
    yield from cases(
        family, f"{lin}tensorsolve(well, vector)", "float32", most=SLOWEST, tolerance=1e-3
    )
    yield from cases(
        family, f"{lin}tensorinv(well, ind=1)", "float32", most=SLOWEST, tolerance=1e-3
    )


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (products, linear_algebra):
        yield from part()
