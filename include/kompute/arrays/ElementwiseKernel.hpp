// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kompute/Array.hpp>

namespace kp {

/// An elementwise function of arrays, defined by GLSL. Thread-safe.
class KOMPUTE_API ElementwiseKernel {
public:
    struct Parameter {
        std::string name;
        std::string letter; ///< the GLSL's name for the type; empty if it uses the type's own name
        bool raw = false;   ///< a whole array, which the GLSL indexes: name(k)
    };

    /// @param operation  statements that set each result. `i` is the index of the element, `n` the
    ///                   number of elements. Half and 8- and 16-bit numbers are computed in 32 bits
    /// @param preamble   GLSL functions that the operation calls
    ElementwiseKernel(std::vector<Parameter> inputs, std::vector<Parameter> results,
                      std::string operation, std::string name, std::string preamble);

    /// Computes all elements of a shape, and returns at once.
    /// @param inputs   one for each parameter, broadcast to the shape; numbers have a type, raw
    ///                 inputs are arrays
    /// @param results  one for each parameter, of the shape, and writable
    /// @return the shader
    const std::string& run(const Shape& shape, const std::vector<Operand>& inputs,
                           const std::vector<Array>& results) const;

private:
    struct Call;
    std::string source(const Call& call) const;

    std::vector<Parameter> mInputs;
    std::vector<Parameter> mResults;
    std::string mOperation;
    std::string mName;
    std::string mPreamble;
    const std::string* mIdentity; ///< the same for equal kernels
};

} // namespace kp
