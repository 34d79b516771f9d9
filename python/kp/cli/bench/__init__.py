# SPDX-License-Identifier: Apache-2.0
"""``kp bench``: how long transfers, copies and kernels take on a device."""
