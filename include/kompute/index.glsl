// SPDX-License-Identifier: Apache-2.0
#ifndef KOMPUTE_INDEX_GLSL
#define KOMPUTE_INDEX_GLSL
// kp_index(): the number of this invocation, from 0, as a uint. Work of one dimension that needs
// more work groups than the device supports in x is spread over y and z. There may be more
// invocations than were asked for, so compare the number with the size of the data.
//
// A macro, because functions may not use gl_WorkGroupSize before the shader declares it. The constant
// tells the library that the shader counts its invocations like this.
layout(constant_id = 2046) const uint kp_index_unit = 1u;
#define kp_index() \
    (kp_index_unit * \
     ((gl_WorkGroupID.x + \
       gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z)) * \
          (gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z) + \
      gl_LocalInvocationIndex))
#endif
