// SPDX-License-Identifier: Apache-2.0
#include "shader/Structs.hpp"

#include "base/Arrays.hpp"
#include "base/Package.hpp"
#include "shader/Shader.hpp"

namespace kp::python {

std::string structMismatch(const std::vector<shader::Member>& members, const py::dtype& dtype) {
    if (members.empty() || dtype.kind() != 'V' || dtype.attr("fields").is_none())
        return {};
    py::tuple declared(members.size());
    for (size_t i = 0; i < members.size(); ++i)
        declared[i] = py::make_tuple(members[i].name, members[i].offset, dtypeOf(members[i].type),
                                     axesOf(members[i].axes));
    return py::cast<std::string>(ofPackage("struct_mismatch")(dtype, declared));
}

} // namespace kp::python
