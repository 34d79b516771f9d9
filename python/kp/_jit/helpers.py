# SPDX-License-Identifier: Apache-2.0
"""GLSL functions of work items. All others are in the library (shaders/lib)."""

from __future__ import annotations

_INDEX = """int kp_index() {
    return int(gl_GlobalInvocationID.x
        + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x);
}
"""
_GROUP = """int kp_group() {
    return int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
}
"""
_GROUPS = """int kp_groups() {
    return int((kp_global_size.x + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x);
}
"""

WORK_ITEMS = {"kp_index": _INDEX, "kp_group": _GROUP, "kp_groups": _GROUPS}
