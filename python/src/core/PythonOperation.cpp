// SPDX-License-Identifier: Apache-2.0
#include "core/PythonOperation.hpp"

#include "base/Held.hpp"
#include "core/Operations.hpp"

namespace kp::python {
namespace {

void addAccess(Accesses& accesses, py::handle entry) {
    if (!PyTuple_Check(entry.ptr()) || PyTuple_GET_SIZE(entry.ptr()) != 2)
        throw py::type_error(
            "accesses() returns pairs of a tensor or image and \"r\", \"w\" or \"rw\"");
    const auto pair = py::reinterpret_borrow<py::tuple>(entry);
    const std::shared_ptr<Memory>& memory =
        handleOf<MemoryHandle>(pair[0], "the first of a pair of accesses()").memory;
    const std::string mode = py::str(pair[1]);
    if (mode == "r")
        accesses.read(memory);
    else if (mode == "w")
        accesses.write(memory);
    else if (mode == "rw")
        accesses.readWrite(memory);
    else
        throw py::value_error(
            formatted("accesses() has \"{}\", which is not \"r\", \"w\" or \"rw\"", mode));
}

} // namespace

PythonOperation::PythonOperation(py::object self) : mSelf(std::move(self)) {}

PythonOperation::~PythonOperation() {
    if (!Py_IsInitialized()) {
        mSelf.release();
        return;
    }
    const py::gil_scoped_acquire acquire;
    mSelf = py::object();
    mParts.clear();
}

Accesses PythonOperation::accesses() {
    Accesses accesses;
    const py::object more = mSelf.attr("accesses")();
    if (!more.is_none())
        for (const py::handle entry : more)
            addAccess(accesses, entry);
    return accesses;
}

void PythonOperation::record(const vk::CommandBuffer& commandBuffer) {
    const py::object parts = mSelf.attr("record")();
    std::vector<std::shared_ptr<OpBase>> recorded;
    if (!parts.is_none())
        for (const py::handle part : parts) {
            if (part.is(mSelf))
                throw py::value_error("record() of an operation cannot name the operation itself; "
                                      "use super().record()");
            recorded.push_back(toOperation(part.ptr()));
            recordPart(commandBuffer, *recorded.back());
        }
    mParts = std::move(recorded);
}

void PythonOperation::preEval(const vk::CommandBuffer& commandBuffer) {
    // A submission that waited for the host is made by the thread that ended the wait.
    if (PyGILState_Check())
        mSelf.attr("pre_eval")();
    else
        runFromLibrary([this] { mSelf.attr("pre_eval")(); });
    for (const std::shared_ptr<OpBase>& part : mParts)
        static_cast<OpBase&>(*part).preEval(commandBuffer);
}

void PythonOperation::postEval(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<OpBase>& part : mParts)
        static_cast<OpBase&>(*part).postEval(commandBuffer);
    mSelf.attr("post_eval")();
}

} // namespace kp::python
