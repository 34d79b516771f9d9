# SPDX-License-Identifier: Apache-2.0
"""kp.Autotuner: its choices, its verification, and the memory that it restores."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import run_in_threads
from tuning_support import COUNT, Configuration, Problem, source, wasteful

import kp

# --- the choice -----------------------------------------------------------------------------------


def test_picks_the_fastest_specialization_constant(problem: Problem) -> None:
    result = problem.tuner().tune(wasteful([20, 2, 40, 100]), problem.arguments())
    assert result.configuration == {"local_size_x": 64, "waste": 2}
    assert result.source == "measured"
    assert result.nanoseconds > 0
    assert result.workgroup == (COUNT // 64, 1, 1)
    assert result.configurations == 4
    assert result.benchmarks >= 12
    assert not result.stopped
    assert result.seconds > 0
    assert [record.status for record in result.records] == ["measured"] * 4
    assert result.records[0].configuration == result.configuration
    assert result.records[0].runs >= result.records[-1].runs >= 1
    assert result.records[0].median_ns >= result.records[0].nanoseconds
    assert not result.records[0].from_cache
    assert problem.is_unchanged()
    algorithm = result.algorithm
    assert algorithm is not None
    assert algorithm.get_mem_objects() == [problem.input, problem.sums]
    problem.mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).eval()
    assert np.array_equal(problem.sums.read(), problem.expected)


def test_picks_the_fastest_variant(problem: Problem) -> None:
    kernel = kp.TunableKernel("variants").local_size([64])
    for name, waste in (("slow", "60u"), ("fast", "3u"), ("slower", "90u")):
        kernel.variant(name, kp.compile(source(waste)))
    result = problem.tuner().tune(kernel, problem.arguments())
    assert result.configuration["variant"] == "fast"


@pytest.mark.parametrize("compiled", [False, True])
def test_picks_the_fastest_of_a_factory(problem: Problem, compiled: bool) -> None:
    asked: list[Configuration] = []

    def factory(configuration: Configuration) -> str | bytes:
        asked.append(configuration)
        text = source(f"{configuration['waste']}u")
        return kp.compile(text) if compiled else text

    kernel = kp.TunableKernel("factory").local_size(64).parameter("waste", [50, 4, 80])
    result = problem.tuner().tune(kernel.factory(factory), problem.arguments())
    assert result.configuration["waste"] == 4
    assert {"local_size_x": 64, "waste": 80} in asked
    assert problem.is_unchanged()


def test_applies_constraints_and_work_group_rules(problem: Problem) -> None:
    compiled: list[Configuration] = []

    def factory(configuration: Configuration) -> str:
        compiled.append(configuration)
        return source("1u", error=f"0u * {configuration['each']}u")

    kernel = (
        kp.TunableKernel("rules")
        .local_size([16, 32, 64])
        .parameter("each", [1, 2])
        .parameter("kind", ["plain"])
        .parameter("factor", [0.5])
        .factory(factory)
        .constraint("no small groups", lambda c: c["local_size_x"] >= 32)
        .workgroups(lambda c: (COUNT // c["local_size_x"], 1))
    )
    assert kernel.configuration_count == 6
    assert repr(kernel) == "<kp.TunableKernel rules with 6 configurations>"
    result = problem.tuner().tune(kernel, problem.arguments())
    assert result.constrained == 2
    assert all(configuration["local_size_x"] >= 32 for configuration in compiled)
    assert result.configuration["kind"] == "plain"
    assert result.configuration["factor"] == 0.5
    assert result.workgroup[0] == COUNT // result.configuration["local_size_x"]


def test_progress_stops_tuning_and_effort_bounds_it(problem: Problem) -> None:
    seen: list[tuple[str, int, int, int]] = []

    def progress(state: kp.TuningProgress) -> bool:
        seen.append((state.kernel, state.round, state.done, state.total))
        assert state.configuration.keys() == state.best.keys()
        assert state.best_ns <= state.nanoseconds
        assert state.elapsed > 0
        assert state.budget == 60
        assert state.rounds >= state.round
        return len(seen) < 2

    tuner = problem.tuner(progress=progress, budget=60)
    result = tuner.tune(wasteful([2, 3, 4]), problem.arguments())
    assert seen == [("wasteful", 1, 1, 3), ("wasteful", 1, 2, 3)]
    assert result.stopped
    rest = problem.tuner(effort="exhaustive").tune(wasteful([2, 3, 4]), problem.arguments())
    assert not rest.stopped
    other = problem.tuner(effort="estimate", cache_folder="off")
    estimate = other.tune(wasteful([2, 3]), problem.arguments())
    assert (estimate.source, estimate.benchmarks, other.cache_folder) == ("estimate", 0, "")


# --- memory ---------------------------------------------------------------------------------------


def test_restores_memory_after_an_exception(problem: Problem) -> None:
    def progress(state: kp.TuningProgress) -> None:
        raise LookupError("planted")

    with pytest.raises(LookupError, match="planted"):
        problem.tuner(progress=progress).tune(wasteful([2, 3]), problem.arguments())
    assert problem.is_unchanged()


def test_memory_can_be_zeroed_or_left_changed(problem: Problem) -> None:
    def right(configuration: Configuration) -> bool:
        return np.array_equal(problem.sums.read(), np.arange(COUNT))

    zeroed = problem.arguments().reset_to_zero(problem.sums).verify(right)
    assert problem.tuner().tune(wasteful([2]), zeroed).records[0].status == "measured"
    assert problem.is_unchanged()
    problem.tuner().tune(wasteful([2], "left"), problem.arguments().leave(problem.sums))
    assert not problem.is_unchanged()


# --- verification ---------------------------------------------------------------------------------


def wrong_and_right() -> kp.TunableKernel:
    kernel = kp.TunableKernel("checked").local_size(64)
    kernel.variant("wrong", source("1u", error="i == 77u ? 1u : 0u"))
    return kernel.variant("right", source("40u"))


def with_reference(problem: Problem) -> kp.TuningArguments:
    return problem.arguments().expect(problem.sums, problem.expected)


def with_bool(problem: Problem) -> kp.TuningArguments:
    return problem.arguments().verify(
        lambda configuration: np.array_equal(problem.sums.read(), problem.expected)
    )


def with_text(problem: Problem) -> kp.TuningArguments:
    def verify(configuration: Configuration) -> str | None:
        return "77 is wrong" if problem.sums.read()[77] != problem.expected[77] else None

    return problem.arguments().verify(verify)


@pytest.mark.parametrize("checked", [with_reference, with_bool, with_text])
def test_rejects_wrong_variants(
    problem: Problem, checked: Callable[[Problem], kp.TuningArguments]
) -> None:
    result = problem.tuner().tune(wrong_and_right(), checked(problem))
    assert result.configuration["variant"] == "right"
    refused = [record for record in result.records if record.status == "wrong"]
    assert len(refused) == 1
    assert refused[0].configuration["variant"] == "wrong"
    assert refused[0].reason
    assert problem.is_unchanged()


def test_compares_floats_within_the_tolerance(mgr: kp.Manager) -> None:
    values = mgr.tensor([1.0, 2.0, 3.0])
    values.write([1.0, 2.0, 3.0])
    kernel = kp.TunableKernel(
        "third",
        """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float by; };
void main() { v[gl_GlobalInvocationID.x] /= by; }""",
    ).parameter("any", [1])
    tuner = kp.Autotuner(mgr, cache_folder="off", runs=1)
    arguments = kp.TuningArguments([values], (3, 1), push_consts=[3.0])
    arguments.expect(values, [1 / 3, 2 / 3, 1], relative=1e-5)  # any array-like
    result = tuner.tune(kernel, arguments)
    assert result.algorithm is not None
    mgr.sequence().record(kp.OpAlgoDispatch(result.algorithm)).eval()
    assert np.allclose(values.read(), [1 / 3, 2 / 3, 1])
    with pytest.raises(kp.ShaderError, match="no configuration of kernel 'third' works"):
        kp.Autotuner(mgr, cache_folder="off", runs=1).tune(
            kernel, arguments
        )  # the values are divided already


# --- functions that raise -------------------------------------------------------------------------


class Planted(Exception):
    pass


def raises(*_: object) -> Any:
    raise Planted("as it is")


@pytest.mark.parametrize("place", ["constraint", "factory", "workgroups", "verify", "progress"])
def test_exceptions_of_functions_reach_the_caller_unchanged(problem: Problem, place: str) -> None:
    kernel = wasteful([2, 3])
    arguments = problem.arguments()
    options: dict[str, Any] = {}
    if place == "constraint":
        kernel.constraint("planted", raises)
    elif place == "factory":
        kernel = kp.TunableKernel("raising").local_size(64).factory(raises)
    elif place == "workgroups":
        kernel.workgroups(raises)
    elif place == "verify":
        arguments.verify(raises)
    else:
        options["progress"] = raises
    with pytest.raises(Planted, match="as it is") as caught:
        problem.tuner(**options).tune(kernel, arguments)
    assert caught.traceback[-1].name == "raises"
    assert problem.is_unchanged()
    assert problem.tuner().tune(wasteful([2, 3]), problem.arguments()).benchmarks > 0


def test_shader_error_of_a_factory_skips_its_configuration(problem: Problem) -> None:
    def factory(configuration: Configuration) -> str | bytes:
        if configuration["how"] == "raises":
            raise kp.ShaderError("not this one")
        if configuration["how"] == "text":
            return "#version 450\nvoid main() { nonsense }\n"
        if configuration["how"] == "compiles":
            return kp.compile("#version 450\nvoid main() { nonsense }\n")
        return source("1u")

    kernel = kp.TunableKernel("some").local_size(64)
    kernel.parameter("how", ["raises", "text", "compiles", "well"]).factory(factory)
    result = problem.tuner().tune(kernel, problem.arguments())
    assert result.configuration["how"] == "well"
    reasons = {r.configuration["how"]: r.reason for r in result.records if r.status == "failed"}
    assert reasons.keys() == {"raises", "text", "compiles"}
    assert "not this one" in reasons["raises"]
    assert "nonsense" in reasons["text"]


def test_functions_live_as_long_as_their_kernel(problem: Problem) -> None:
    class Function:
        def __call__(self, configuration: Configuration) -> bool:
            return True

    function = Function()
    gone = weakref.ref(function)
    kernel = wasteful([2]).constraint("any", function)
    tuned = kp.TunedAlgorithm(problem.tuner(), kernel)
    tuned.algorithm(problem.arguments())
    del kernel, function
    assert gone() is not None
    del tuned
    gc.collect()
    assert gone() is None


# --- invalid arguments ----------------------------------------------------------------------------


def test_rejects_invalid_arguments(problem: Problem, mgr: kp.Manager) -> None:
    kernel = wasteful([2])
    with pytest.raises(ValueError, match='effort is one of "estimate"'):
        problem.tuner(effort="most")
    with pytest.raises(ValueError, match='time is one of "auto"'):
        problem.tuner(time="later")
    with pytest.raises(TypeError, match="manager is a kp"):
        kp.Autotuner(problem.input)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress is a function"):
        problem.tuner(progress=3)
    with pytest.raises(TypeError, match="predicate is a function"):
        kernel.constraint("none", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="function is a function"):
        kp.TunableKernel("none").factory("text")  # type: ignore[arg-type]
    for shader in ("variant", "factory"):
        made = kp.TunableKernel("made").factory(raises)
        with pytest.raises(kp.InvalidArgument, match="has a factory already"):
            made.factory(raises) if shader == "factory" else made.variant("a", source("1u"))
    with pytest.raises(kp.InvalidArgument, match="another kind"):
        wasteful([2]).factory(raises)
    with pytest.raises(kp.InvalidArgument):
        kp.TunableKernel("")
    with pytest.raises(kp.InvalidArgument):
        kernel.specialization(2, "waste", [1])
    with pytest.raises(TypeError, match="not text"):
        kernel.specialization(2, "text", ["1"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not a str"):
        kernel.parameter("letters", "abc")
    with pytest.raises(kp.ShaderError):
        kp.TunableKernel("broken", "#version 450\nvoid main() { nonsense }\n")
    with pytest.raises(ValueError, match="one to three"):
        kp.TuningArguments([problem.input], (1, 2, 3, 4))
    with pytest.raises(TypeError, match="no names"):
        kp.TuningArguments([problem.input], 1, {"a": 1})
    with pytest.raises(TypeError, match="tensor is a kp"):
        problem.arguments().leave(None)  # type: ignore[arg-type]
    with pytest.raises(kp.InvalidArgument):
        problem.arguments().leave(mgr.tensor([1]))
    with pytest.raises(kp.InvalidArgument, match="bytes"):
        problem.arguments().expect(problem.sums, [1, 2, 3])
    with pytest.raises(TypeError, match="gives a bool"):
        problem.tuner().tune(kernel, problem.arguments().verify(lambda configuration: 7))
    with pytest.raises(kp.InvalidArgument, match="0 work groups"):
        problem.tuner().tune(kernel, kp.TuningArguments([problem.input, problem.sums]))
    none = kp.TunableKernel("none").local_size(64).factory(lambda configuration: None)
    with pytest.raises(TypeError, match="gave None"):
        problem.tuner().tune(none, problem.arguments())
    assert problem.is_unchanged()


# --- tuning at the first use, and threads ---------------------------------------------------------


def test_tuned_algorithm_tunes_at_the_first_use(problem: Problem) -> None:
    tuned = kp.TunedAlgorithm(problem.tuner(), wasteful([20, 2]))
    assert not tuned.is_tuned(problem.arguments())
    problem.mgr.sequence().record(kp.OpAlgoDispatch(tuned.algorithm(problem.arguments()))).eval()
    assert tuned.is_tuned(problem.arguments())
    assert np.array_equal(problem.sums.read(), problem.expected)
    other = problem.mgr.tensor_t(np.zeros(COUNT, np.uint32))
    other.write(np.zeros(COUNT, np.uint32))
    arguments = kp.TuningArguments([problem.input, other], COUNT)
    problem.mgr.sequence().record(kp.OpAlgoDispatch(tuned.algorithm(arguments))).eval()
    assert np.array_equal(other.read(), np.arange(COUNT))
    result = tuned.result(arguments)
    assert result.configuration["waste"] == 2
    assert result.algorithm is None
    tuned.forget()
    assert not tuned.is_tuned(arguments)


def test_threads_tune_at_the_same_time(problem: Problem) -> None:
    tuner = problem.tuner(progress=lambda state: True)
    tuned = kp.TunedAlgorithm(tuner, wasteful([20, 2]))
    found: list[int] = []

    def work() -> None:
        arguments = problem.arguments().verify(lambda configuration: True)
        tuned.is_tuned(arguments)
        found.append(tuned.result(arguments).configuration["waste"])

    run_in_threads(work, [()] * 3)
    assert found == [2, 2, 2]


def test_manager_cannot_be_destroyed_during_tuning(problem: Problem) -> None:
    caught: list[str] = []

    def verify(configuration: Configuration) -> bool:
        for destroy in (problem.mgr.destroy, problem.sums.destroy):
            try:
                destroy()
            except kp.InvalidArgument as error:
                caught.append(str(error))
        return True

    problem.tuner().tune(wasteful([2]), problem.arguments().verify(verify))
    assert len(caught) == 2
    tuner = problem.tuner()
    problem.mgr.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        tuner.tune(wasteful([2]), problem.arguments())
