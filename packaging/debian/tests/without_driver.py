# SPDX-License-Identifier: Apache-2.0
"""The module imports, compiles a shader and says what is missing if there is no driver."""

import kp

spirv = kp.compile("#version 450\nlayout(local_size_x = 1) in; void main() {}")
assert spirv[:4] == b"\x03\x02\x23\x07", spirv
try:
    kp.Manager()
except kp.Unsupported as error:
    print(error)
