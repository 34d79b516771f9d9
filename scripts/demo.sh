#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what Kompute does, on real data and on the best device of this machine: an edge filter over
# a photograph, then logistic regression on a medical table, in C++; then a blur, the same training
# and a simulation in Python. From a fresh clone:
#
#   bash scripts/demo.sh
#
# It installs what is missing (scripts/setup.sh), builds the library and two examples, and fetches
# the data once (scripts/demo_data.sh). The Python package is installed by pip into a virtual
# environment under build, with Pillow and matplotlib where pip can get them. All that is built is
# kept, and ccache is used where it is installed. KOMPUTE_DEVICE chooses another device.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh --demo

generator=()
command -v ninja > /dev/null || generator=(-G "Unix Makefiles")
mkdir -p build
echo "demo: building (messages in build/demo.log)"
{
    cmake --preset release "${generator[@]}" -DKOMPUTE_OPT_ENABLE_BENCHMARK=OFF
    cmake --build --preset release --parallel "${KOMPUTE_JOBS:-$(nproc)}" \
        --target image_filter logistic_regression
} > build/demo.log 2>&1 || {
    tail -n 60 build/demo.log >&2
    echo "demo: the build failed; all of its messages are in build/demo.log" >&2
    exit 1
}

bash scripts/demo_data.sh build/demo-data

echo
echo "--- edge filter over a photograph"
build/release/examples/image_filter/image_filter build/demo-data/astronaut.png build/edges.png
echo
echo "--- logistic regression on the breast-cancer table"
build/release/examples/logistic_regression/logistic_regression build/demo-data/breast_cancer.csv

# --- Python -------------------------------------------------------------------------------------
environment=build/demo-python
unset PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-${KOMPUTE_JOBS:-$(nproc)}}

in_python() { "$environment/bin/python" "$@"; }

# Makes the virtual environment; where that is nobody's fault but this machine's, says so and fails.
make_environment() {
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
        echo "demo: no Python part: it needs Python 3.10 or newer"
        return 1
    fi
    if [ -x "$environment/bin/python" ] && in_python -m pip --version > /dev/null 2>&1; then return; fi
    rm -rf "$environment"
    if ! python3 -m venv "$environment" > build/demo-python.log 2>&1; then
        if [ "${KOMPUTE_SKIP_SETUP:-0}" = 1 ]; then
            echo "demo: no Python part: 'python3 -m venv' does not work here (pip or venv is missing)"
            return 1
        fi
        cat build/demo-python.log >&2
        exit 1
    fi
}

python_demo() {
    echo
    echo "demo: installing the Python package into $environment (messages in build/demo-python.log)"
    in_python -m pip install . > build/demo-python.log 2>&1 || {
        tail -n 60 build/demo-python.log >&2
        echo "demo: pip failed; all of its messages are in build/demo-python.log" >&2
        exit 1
    }
    in_python -m pip install --quiet Pillow matplotlib >> build/demo-python.log 2>&1 \
        || echo "demo: pip cannot get Pillow and matplotlib: no pictures and plots from Python"

    echo
    if in_python -c 'import PIL' 2> /dev/null; then
        echo "--- Python: a blur over the photograph"
        in_python python/examples/image_filter.py build/demo-data/astronaut.png build/blurred.png \
            --filter blur
    else
        echo "--- Python: no blur, which needs Pillow"
    fi
    echo
    echo "--- Python: logistic regression on the same table"
    in_python python/examples/logistic_regression.py build/demo-data/breast_cancer.csv \
        --plot build/loss.png
    echo
    echo "--- Python: heat spreading over a plate"
    in_python python/examples/heat_equation.py build/heat.gif
}

if make_environment; then python_demo; fi

echo
echo "demo: the pictures are in $PWD/build"
