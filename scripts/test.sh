#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds and tests everything. From a fresh clone:
#
#   bash scripts/test.sh              what every change should pass: all C++ tests, a sample of
#                                     the Python tests, the examples
#   bash scripts/test.sh all          all steps, as in CI: more Python tests, validation layers,
#                                     sanitizers, packages, documents, and more
#   bash scripts/test.sh device asan  the steps named (--help lists them), with their builds
#
# KOMPUTE_SKIP_SETUP=1            install nothing (a machine prepared in another way)
# KOMPUTE_ALLOW_NO_VALIDATION=1   leave out the validation passes where no layer is installed
# KOMPUTE_JOBS=N                  how many things to do at once (default: one per processor)
# KOMPUTE_DEVICE=...              which device the tests use (see docs; default: the best)
# KOMPUTE_TEST_TURN=N             which samples of tests run (default: by the commit); all for all of them
#
# It stops at the first step that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/arguments.sh
. scripts/arguments.sh

all_steps="setup style build unit headers device sample devices checked atonce fences validation plain asan tsan package"
all_steps="$all_steps examples python wheel proof benchmark docs"
default_steps="setup style build unit headers device sample examples"
# The tests of device and sample are in validation and python. The step checked takes too long: the
# software driver compiles the checks of every primitive.
everything=${all_steps/ device sample/}
everything=${everything/ checked/}
# By which samples are chosen: of steps, of files, of tests, and of the cases of tests whose kernels take a
# software driver long to compile.
turn=${KOMPUTE_TEST_TURN:-$((0x$(git rev-parse --short=7 HEAD 2> /dev/null || echo 0)))}
unset KOMPUTE_TEST_TURN
[ "$turn" = all ] || export KOMPUTE_TEST_TURN="$turn"
# part N   prints which of N parts runs, as 2/3; 0/1 for the whole
part() { if [ "$turn" = all ]; then echo 0/1; else echo $((turn % $1))/"$1"; fi; }
# Two ways to submit the same tests, and two sanitizers, by turns.
case $(part 2) in
    0/2) skipped=(atonce tsan) ;;
    1/2) skipped=(fences asan) ;;
    *) skipped=() ;;
esac
for step in "${skipped[@]}"; do everything=${everything/ $step/}; done
jobs=${KOMPUTE_JOBS:-$(nproc)}
steps=""
for argument in "$@"; do
    case $argument in
        all) steps="$steps $everything" ;;
        -h | --help)
            print_head
            echo "steps: $all_steps"
            exit 0
            ;;
        *)
            if [[ " $all_steps " != *" $argument "* ]]; then
                echo "test.sh: no step is called '$argument'; there are: $all_steps" >&2
                exit 2
            fi
            steps="$steps $argument"
            ;;
    esac
done
steps=${steps:-$default_steps}

# shellcheck source=scripts/functions.sh
. scripts/functions.sh

# Lets ccache reuse the results of one step in the folders of another one.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# Mesa's cache does not tell functions for images by LP_NATIVE_VECTOR_WIDTH. A process that had another width
# leaves functions there that crash, so the tests do not share the user's cache.
export MESA_SHADER_CACHE_DIR=$PWD/build/mesa

# --- helpers ------------------------------------------------------------------------------------
configured=""
# configure PRESET [CMAKE ARGUMENTS]...
configure() {
    local generator=()
    command -v ninja > /dev/null || generator=(-G "Unix Makefiles")
    cmake --preset "$@" "${generator[@]}"
}

# build PRESET [TARGET]...
build() {
    local preset=$1
    shift
    if [[ " $configured " != *" $preset "* ]]; then
        configure "$preset" | grep -v '^-- \(Check\|Detecting\|Performing\)'
        configured="$configured $preset"
    fi
    if [ "$#" -gt 0 ]; then set -- --target "$@"; fi
    with_progress "build/$preset/last-build.log" "building $preset" \
        cmake --build --preset "$preset" --parallel "$jobs" "$@"
}

# Fetches Slang's library for the tests of shaders in Slang and prints its path.
slang_library() {
    local library=$PWD/build/slang/slangpy/libslang.so
    if [ -n "${KOMPUTE_SLANG_LIBRARY:-}" ]; then
        echo "$KOMPUTE_SLANG_LIBRARY"
    elif [ -e "$library" ] || python3 -m pip install -q --disable-pip-version-check --no-deps \
        --no-compile --target build/slang --only-binary :all: --python-version 3.11 \
        --platform "manylinux_2_28_$(uname -m)" --require-hashes -r scripts/slang-library.txt \
        > build/slang.log 2>&1; then
        echo "$library"
    else
        echo "LEFT OUT: Slang's library could not be fetched, so shaders in Slang are NOT tested:" >&2
        tail -n 3 build/slang.log >&2
    fi
}

# run_tests PRESET LABEL [CTEST ARGUMENTS]...
run_tests() {
    local preset=$1 label=$2
    shift 2
    with_progress "build/$preset/last-$label.log" "testing $label" \
        ctest --test-dir "build/$preset" --label-regex "^$label\$" --no-tests=error --verbose \
        --parallel "$jobs" "$@" || {
        # Of programs with many tests only what failed, from its beginning to its end, and last, where
        # it is looked for. Tests that run side by side have numbers, which each line begins with.
        awk '{ number = $1 }
             /\[ RUN      \]/ { text[number] = "" }
             { text[number] = text[number] $0 "\n" }
             /\[  FAILED  \]/ { printf "%s", text[number]; text[number] = "" }
             /\*\*\*/ { print }
             END { # what ran when its program ended
                 for (number in text)
                     if (text[number] ~ /RUN/ && text[number] !~ /\[       OK|SKIPPED/)
                         printf "%s", text[number]
             }' "build/$preset/last-$label.log"
        return 1
    }
    grep -E '% tests passed|^[0-9]+: \[  SKIPPED \] .*[a-z0-9]$' "build/$preset/last-$label.log" \
        | sed 's/^[0-9]*: //'
}

have_validation_layer() {
    local folders folder
    folders="${VK_LAYER_PATH:-}:${VK_ADD_LAYER_PATH:-}:/usr/share/vulkan/explicit_layer.d"
    folders="$folders:/usr/local/share/vulkan/explicit_layer.d:/etc/vulkan/explicit_layer.d"
    for folder in ${folders//:/ }; do
        if [ -d "$folder" ] && grep -qs VK_LAYER_KHRONOS_validation "$folder"/*.json; then return 0; fi
    done
    return 1
}

# The thread sanitizer of older compilers cannot cope with a highly randomized address space.
fixed_addresses() {
    if setarch "$(uname -m)" -R true 2> /dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# notices PRESET FAULT...   planted faults, which the sanitizer must report
notices() {
    local preset=$1 fault
    shift
    for fault in "$@"; do
        if fixed_addresses "build/$preset/test/kompute_sanitizer_canary" "$fault" \
            > "build/$preset/canary.log" 2>&1; then
            echo "test.sh: the $preset build does not notice a planted fault: $fault" >&2
            return 1
        fi
        grep -m 1 -E 'SUMMARY|runtime error' "build/$preset/canary.log" | sed 's/^/canary: /'
    done
}

# --- steps --------------------------------------------------------------------------------------
step_setup() { bash scripts/setup.sh; }
step_style() {
    bash scripts/format.sh --check
    python3 scripts/check_house.py --planted
    python3 scripts/check_house.py
    python3 scripts/check_words.py --planted
    python3 scripts/check_words.py
    python3 scripts/shaders/cooperative_shaders.py --planted
    python3 scripts/shaders/cooperative_shaders.py --check
}

# Tests that are long and do not depend on how dispatches are submitted and ordered: every call of
# the driver that may fail, and the autotuner.
sweeps='*Injection*:*TransferFailures*:*Autotuner*:*TunedKernel*'

step_build() { build ci; }
step_unit() { build ci && KOMPUTE_SLANG_LIBRARY=$(slang_library) run_tests ci unit; }
step_headers() { build ci && run_tests ci headers; }
step_device() {
    build ci kompute_device_tests
    KOMPUTE_SLANG_LIBRARY=$(slang_library) run_tests ci device
}
# Half of the device tests by turns: shards with even or with odd numbers.
half_of_device_tests() {
    local preset=$1 shards="[0-9]"
    case $(part 4) in
        [01]/4) shards="[02468]" ;;
        [23]/4) shards="[13579]" ;;
    esac
    run_tests "$preset" device --tests-regex "$shards$"
}
# Without coalescing, and with dispatches in the order in which they are recorded.
step_atonce() {
    build ci kompute_device_tests
    KOMPUTE_COALESCE=0 KOMPUTE_REORDER=0 GTEST_FILTER="-$sweeps" half_of_device_tests ci
}
# Without timeline semaphores, as on an old driver or a host's device made without them.
step_fences() {
    build ci kompute_device_tests
    KOMPUTE_WITHOUT=timelineSemaphore GTEST_FILTER="-$sweeps" half_of_device_tests ci
}

# The device tests with validation; any message is a failure. One pass with both kinds of checks takes
# three quarters of the time of two.
step_validation() {
    local kind
    if ! have_validation_layer; then
        if [ "${KOMPUTE_ALLOW_NO_VALIDATION:-0}" = 1 ]; then
            echo "LEFT OUT: no validation layer is installed, so validation was NOT checked"
            return
        fi
        echo "test.sh: VK_LAYER_KHRONOS_validation is not installed. Run scripts/setup.sh, or set" \
            "KOMPUTE_ALLOW_NO_VALIDATION=1 to go on without." >&2
        return 1
    fi
    build ci kompute_device_tests
    KOMPUTE_SLANG_LIBRARY=$(slang_library) KOMPUTE_VALIDATION=core,sync run_tests ci device
    # The planted faults must have been noticed, not skipped.
    for kind in Core Sync; do
        if ! grep -q "\[       OK \] ValidationCanary[A-Za-z]*\.$kind" build/ci/last-device.log; then
            echo "test.sh: no planted fault was noticed under '$kind' validation" >&2
            return 1
        fi
    done
}

# Source files by themselves: a unity build can hide that a file lacks an include. No code is
# made of them. Of all files, an eighth by turns.
step_plain() {
    local files part
    part=$(part 8)
    configure ci -G Ninja -B build/plain -DKOMPUTE_OPT_UNITY=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG=-fsyntax-only -DKOMPUTE_OPT_BUILD_TESTS=OFF \
        -DKOMPUTE_OPT_BUILD_EXAMPLES=OFF -DKOMPUTE_OPT_ENABLE_BENCHMARK=OFF > /dev/null
    mapfile -t files < <(ninja -C build/plain -t targets all \
        | sed -n 's|^\(CMakeFiles/kompute_[a-z_]*objects.dir/src/.*\.o\): .*|\1|p' | sort)
    mapfile -t files < <(printf '%s\n' "${files[@]}" | awk -v at="${part%/*}" -v of="${part#*/}" 'NR % of == at')
    [ "${#files[@]}" -ge 20 ] || {
        echo "test.sh: only ${#files[@]} source files were found" >&2
        return 1
    }
    cmake --build build/plain --parallel "$jobs" --target "${files[@]}"
}

# configure_with_clang PRESET [CMAKE ARGUMENTS]...   where it is installed. With sanitizers it takes three fifths
# of GCC's time, and so the library and its tests are built and run with two compilers.
configure_with_clang() {
    local compilers=()
    if command -v clang++ > /dev/null; then
        compilers=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
    else
        echo "LEFT OUT: Clang is not installed, so the library was NOT built with it"
    fi
    configure "$@" "${compilers[@]}" > /dev/null
    configured="$configured $1"
}

step_asan() {
    # Vectors are shared with glslang, which is built without the sanitizer.
    export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:detect_container_overflow=0
    export UBSAN_OPTIONS=print_stacktrace=1
    export LSAN_OPTIONS=suppressions=$PWD/test/sanitizers/lsan.supp:print_suppressions=0
    configure_with_clang asan -DKOMPUTE_OPT_WERROR=ON
    build asan kompute_sanitizer_canary kompute_unit_tests kompute_fuzz_replay kompute_device_tests
    notices asan overflow leak undefined
    run_tests asan unit
    # Calls that fail once. Validation has run those that fail from then on, too.
    GTEST_FILTER="-*Injection*FromThenOn*" half_of_device_tests asan
}

step_tsan() {
    # Drivers are built without the sanitizer, so it cannot see how their threads are ordered.
    export TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1
    TSAN_OPTIONS+=":suppressions=$PWD/test/sanitizers/tsan.supp"
    configure_with_clang tsan
    build tsan kompute_sanitizer_canary kompute_concurrency_tests
    notices tsan race
    fixed_addresses timeout 600 build/tsan/test/kompute_concurrency_tests
}

step_package() {
    build ci kompute
    bash test/package/run.sh build/ci build/package
    bash packaging/test.sh sbom cpack
}

step_examples() {
    build ci
    bash scripts/demo_data.sh build/demo-data
    run_tests ci example
}

# Builds the Python package for the tests.
build_python() {
    [ -x build/venv/bin/python ] || python3 -m venv build/venv
    build/venv/bin/python -m pip install -q --disable-pip-version-check 'pybind11>=3.1,<4' numpy \
        pytest Pillow scipy mpmath mypy basedpyright array-api-strict 'dask[array]>=2024.8' \
        'distributed>=2024.8'
    configure ci -DKOMPUTE_OPT_BUILD_PYTHON=ON \
        -DPython_EXECUTABLE="$PWD/build/venv/bin/python" > /dev/null
    build ci _kp
}

# Python tests with validation, every warning an error: a sixth by turns.
step_python() { python_tests "$(part 6)"; }
step_sample() { python_tests "$(part 12)"; }
python_tests() {
    local sample=$1
    build_python
    build/venv/bin/python scripts/python_stubs.py --check
    cc -O1 -g -shared -fPIC python/tests/backtrace.c -o build/ci/backtrace.so
    local checks=core,sync
    if ! have_validation_layer; then
        if [ "${KOMPUTE_ALLOW_NO_VALIDATION:-0}" != 1 ]; then
            echo "test.sh: VK_LAYER_KHRONOS_validation is not installed" >&2
            return 1
        fi
        checks=
    fi
    # The layer gets slower with all that a process has submitted, and solvers submit most.
    local late=python/tests/linear_algebra
    (
        export KOMPUTE_VALIDATION=$checks KOMPUTE_BACKTRACE=$PWD/build/ci/backtrace.so KOMPUTE_TEST_SAMPLE=$sample
        export PYTHONPATH=$PWD/build/ci/python PYTHONDONTWRITEBYTECODE=1
        KOMPUTE_SLANG_LIBRARY=$(slang_library)
        export KOMPUTE_SLANG_LIBRARY
        in_shards build/venv/bin/python -X dev -m pytest -q -p no:cacheprovider --ignore="$late"
        in_shards build/venv/bin/python -X dev -m pytest -q -p no:cacheprovider "$late"
    )
}

# brief_device_tests TITLE VARIABLE=VALUE...   runs the device tests in one process and shows what failed.
brief_device_tests() {
    local title=$1 output
    shift
    echo "$title:"
    output=$(env "$@" build/ci/test/kompute_device_tests --gtest_brief=1 2>&1) || {
        grep -vE 'Running main|^\[==' <<< "$output" | tail -n 100
        return 1
    }
    grep -E '^\[  PASSED|^\[  SKIPPED \] [0-9]' <<< "$output"
}

# on_device NAME VARIABLE=VALUE...   runs the samples with these variables. Of the suites of device_samples.sh, a part
# that depends on the commit.
on_device() {
    local name=$1 part
    part=$(part "$device_parts")
    shift
    brief_device_tests "device tests on $name" "$@" KOMPUTE_CACHE_DIR=off GTEST_FILTER="$device_suites" \
        GTEST_TOTAL_SHARDS="${part#*/}" GTEST_SHARD_INDEX="${part%/*}" || return
    (
        export "$@" KOMPUTE_CACHE_DIR=off KOMPUTE_TEST_SAMPLE
        KOMPUTE_TEST_SAMPLE=$(part "$python_parts")
        export PYTHONPATH=$PWD/build/ci/python PYTHONDONTWRITEBYTECODE=1
        cd python/tests || return
        # shellcheck disable=SC2086
        "$OLDPWD/build/venv/bin/python" -m pytest -q -p no:cacheprovider $python_files || return
        export KOMPUTE_DEFAULT_FLOAT=float64
        KOMPUTE_TEST_SAMPLE=$(part "$array_parts")
        # shellcheck disable=SC2086
        "$OLDPWD/build/venv/bin/python" -m pytest -q -p no:cacheprovider $array_files
    )
}

# Other devices than the default one: profiles of devices, and SwiftShader.
step_devices() {
    # shellcheck source=scripts/device_samples.sh
    . scripts/device_samples.sh
    local icd profile first second
    first=$(part ${#first_profiles[@]}) second=$(part ${#second_profiles[@]})
    build_python
    build ci kompute_unit_tests kompute_device_tests
    GTEST_FILTER='DeviceP*:DeviceChoice*' build/ci/test/kompute_unit_tests --gtest_brief=1
    for profile in "$always_profile" "${first_profiles[${first%/*}]}" "${second_profiles[${second%/*}]}"; do
        beside "build/device-$profile.log" on_device "$profile" KOMPUTE_PROFILE="$profile"
    done
    icd=$(bash scripts/swiftshader.sh)
    if [ -n "$icd" ]; then
        beside build/device-SwiftShader.log on_device SwiftShader VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd"
        # Its compiler is quick, and it crashes if a check misses an access. DescriptorTest needs all sets.
        VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd" KOMPUTE_DEFAULT_FLOAT=float64 \
            GTEST_FILTER="$device_suites-DescriptorTest.*" beside build/checked.log \
            in_checked_mode 4 20 python/tests/functions/test_array_indexing.py python/tests/primitives/test_movement.py
    fi
    finish_beside "tests on other devices"
}

# in_checked_mode DEVICE_PARTS PYTHON_PARTS PYTHON_TESTS...   runs one part of each in checked mode, which depends on
# the commit: it finds no mistake where there is none.
in_checked_mode() {
    local part sample
    part=$(part "$1") sample=$(part "$2")
    shift 2
    (
        export KOMPUTE_CHECK=1 KOMPUTE_CACHE_DIR=off KOMPUTE_TEST_SAMPLE="$sample"
        export PYTHONPATH=$PWD/build/ci/python PYTHONDONTWRITEBYTECODE=1
        brief_device_tests "device tests in checked mode" \
            GTEST_TOTAL_SHARDS="${part#*/}" GTEST_SHARD_INDEX="${part%/*}" || return
        in_shards build/venv/bin/python -m pytest -q -p no:cacheprovider "$@"
    )
}
step_checked() {
    build_python
    build ci kompute_device_tests
    in_checked_mode 20 60 python/tests
}

# The package as pip installs it. With this compiler and option its module is the one that the step python
# has tested, and its objects are in the compiler cache. So a sample of the tests suffices: the
# tests of installed commands and files, of the optional packages, and those that validation keeps
# from running. It is "_arrays" because a word matches folders, too, and one of them is called arrays.
step_wheel() {
    CXX=${CXX:-c++} CMAKE_ARGS=-DKOMPUTE_OPT_WERROR=ON bash test/package/python.sh build/package-python \
        -k "_arrays or cli or convert_shaders or cuda or documentation or examples or jit or process or validation"
}

# Random programs, hostile arguments, killed processes, soaks: samples of what precedes a release. The
# Python package comes from the step python.
step_proof() {
    local other status=0
    build ci kompute_proof kompute_fuzz_replay
    # All parts but python use one processor.
    bash scripts/proof.sh quick fuzz groups checked sync > build/proof.log 2>&1 &
    other=$!
    bash scripts/proof.sh quick programs processes long soak || status=$?
    wait "$other" || status=$?
    cat build/proof.log
    [ "$status" = 0 ] || return "$status"
    bash scripts/proof.sh quick python
}

step_benchmark() {
    build ci
    ctest --test-dir build/ci --label-regex '^benchmark$' --no-tests=error --verbose \
        | grep -E '^[0-9]+: |tests passed|Failed|FAILED' \
        | sed -n -E '/^[0-9]+: (Test command|Working Directory|Test timeout)/!s/^([0-9]+: )?//p' \
        | tee build/benchmark.log || {
        grep -E 'MISSED|FAILED|Failed' build/benchmark.log
        return 1
    }
}

step_docs() {
    if ! command -v doxygen > /dev/null; then
        echo "LEFT OUT: Doxygen is not installed, so the reference was NOT checked"
        return
    fi
    bash scripts/site.sh
}

# CPU seconds of all processes that have ended. Unlike wall time, they do not depend on what else the
# machine does.
cpu_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '{ print int(($16 + $17) / ticks) }' "/proc/$$/stat" 2> /dev/null || echo 0
}

# --- run ----------------------------------------------------------------------------------------
echo "samples: KOMPUTE_TEST_TURN=$turn"
summary=""
left=""
for step in $all_steps; do
    if [[ " $steps " == *" $step "* ]]; then left="$left $step"; fi
done
for step in $left; do
    left=${left# "$step"}
    echo
    echo "=== $step${left:+ (then$left)}"
    start=$SECONDS start_cpu=$(cpu_seconds)
    # A subshell would lose the configuration, and "if step" would switch off set -e inside.
    trap 'echo; echo "test.sh: FAILED in step $step"' EXIT
    "step_$step"
    trap - EXIT
    summary="$summary$(printf '%6d s %6d s of CPU  %s' $((SECONDS - start)) \
        $(($(cpu_seconds) - start_cpu)) "$step")"$'\n'
done
echo
echo "=== passed"
printf '%s' "$summary"
