// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

namespace kp::python {

/// An operation whose class is derived in Python: its record() returns the operations that it
/// consists of, and its hooks run around theirs. Called with the GIL held, except preEval().
class PythonOperation final : public OpBase {
public:
    /// @param self  an instance of a class derived from kp.OpBase
    explicit PythonOperation(py::object self);
    ~PythonOperation() override;

    /// What Python's accesses() adds to those of the parts.
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    py::object mSelf;
    std::vector<std::shared_ptr<OpBase>> mParts; ///< of the last record()
};

} // namespace kp::python
