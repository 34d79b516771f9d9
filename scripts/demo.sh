#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows what Kompute does, on real data and on the best device of this machine: an edge filter over
# a photograph, then logistic regression on a medical table. From a fresh clone:
#
#   bash scripts/demo.sh
#
# It installs what is missing (scripts/setup.sh), builds the library and two examples, and fetches
# the data once (scripts/demo_data.sh). KOMPUTE_DEVICE chooses another device.
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
echo
echo "demo: the filtered photograph is $PWD/build/edges.png"
