#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what Kompute does, on real data and on the best device of this machine. In C++: an edge
# filter over a photograph and logistic regression on a medical table. In Python: a blur, the same
# training, and two simulations. From a fresh clone:
#
#   bash scripts/demo.sh
#
# Installs missing packages (scripts/setup.sh), builds the library, two examples and the Python
# package in one build, and downloads the data once (scripts/demo_data.sh). Python's packages go
# into a virtual environment. Everything is kept under build. KOMPUTE_DEVICE chooses another device.
set -euo pipefail
# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
only_option '' "${1:-}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/progress.sh
. scripts/progress.sh

bash scripts/setup.sh --demo

# --- Python's packages: pybind11 before the build, the others and the data meanwhile ------------
environment=build/demo-python
unset PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1

make_environment() {
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment" || return
    "$environment/bin/python" -m pip install 'pybind11>=3.1,<4'
}
get_packages_and_data() {
    if [ "$python" = yes ]; then
        "$environment/bin/python" -m pip install 'numpy>=1.23' || return
        "$environment/bin/python" -m pip install Pillow matplotlib \
            || echo "no Pillow and matplotlib: no pictures and plots from Python"
    fi
    bash scripts/demo_data.sh build/demo-data
}

targets=(image_filter logistic_regression)
options=(-DKOMPUTE_OPT_ENABLE_BENCHMARK=OFF)
python=no
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
    echo "demo: no Python part: it needs Python 3.10 or newer"
elif with_progress build/demo-python.log "demo: getting pybind11" make_environment; then
    python=yes
    targets+=(_kp)
    options+=(-DKOMPUTE_OPT_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$environment/bin/python")
elif [ "${KOMPUTE_SKIP_SETUP:-0}" = 1 ]; then
    echo "demo: no Python part: 'python3 -m venv' or pip does not work here"
else
    exit 1
fi

# --- one build ----------------------------------------------------------------------------------
build() {
    local generator=()
    command -v ninja > /dev/null || generator=(-G "Unix Makefiles")
    cmake --preset release "${generator[@]}" "${options[@]}" \
        && cmake --build --preset release --parallel "${KOMPUTE_JOBS:-$(nproc)}" \
            --target "${targets[@]}"
}
get_packages_and_data > build/demo-data.log 2>&1 &
data=$!
with_progress build/demo.log "demo: building" build
wait "$data" || {
    tail -n 20 build/demo-data.log >&2
    echo "demo: getting Python's packages and the data failed" >&2
    exit 1
}

# --- C++ ----------------------------------------------------------------------------------------
echo
echo "--- edge filter over a photograph"
build/release/examples/image_filter/image_filter build/demo-data/astronaut.png build/edges.png
echo
echo "--- logistic regression on the breast-cancer table"
build/release/examples/logistic_regression/logistic_regression build/demo-data/breast_cancer.csv

# --- Python -------------------------------------------------------------------------------------
in_python() { PYTHONPATH=$PWD/build/release/python "$environment/bin/python" "$@"; }

if [ "$python" = yes ]; then
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
    echo
    echo "--- Python: bodies that attract each other, by a kernel written in Python"
    in_python python/examples/n_body.py
fi

echo
echo "demo: the pictures are in $PWD/build. A software driver computes on the CPU: expect it to beat"
echo "  NumPy where each value needs much arithmetic (bodies), and not on small data (table) or where"
echo "  memory is the limit (heat). A GPU is faster at all of these once the data are large."
