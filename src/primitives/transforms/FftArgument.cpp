// SPDX-License-Identifier: Apache-2.0
#include "primitives/transforms/FftArgument.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "primitives/plan/Axis.hpp"
#include "vulkan/fft/VkFft.hpp"

namespace kp::primitives {

FftArgument fftArgument(const Argument& argument, bool isReal, const char* operation) {
    using DataTypes = Memory::DataTypes;
    const Tensor& tensor = *argument.range.tensor;
    const uint32_t bytes = implOf(tensor).elementSize;
    const uint64_t elements = elementsOf(argument.range);
    switch (tensor.dataType()) {
    case DataTypes::eHalf:
    case DataTypes::eFloat:
    case DataTypes::eDouble:
        if (!isReal && elements % 2 != 0)
            fail<InvalidArgument>("{}: {} has {} of {}, which are not complex numbers: these "
                                  "take two each",
                                  operation, argument.name, counted(elements, "element"),
                                  Memory::toString(tensor.dataType()));
        return {argument.name, tensor.dataType(), elements};
    case DataTypes::eCustom:
        if (!isReal && (bytes == 4 || bytes == 8 || bytes == 16))
            return {argument.name,
                    bytes == 4   ? DataTypes::eHalf
                    : bytes == 8 ? DataTypes::eFloat
                                 : DataTypes::eDouble,
                    2 * elements};
        break;
    default:
        break;
    }
    fail<InvalidArgument>("{}: {} has elements of {} ({} bytes), but {} are expected", operation,
                          argument.name, Memory::toString(tensor.dataType()), bytes,
                          isReal ? "real numbers of eHalf, eFloat or eDouble"
                                 : "complex numbers: eCustom of 4, 8 or 16 bytes, or pairs of "
                                   "eHalf, eFloat or eDouble");
}

bool isAligned(const Argument& argument, uint64_t alignment) {
    // Imported memory begins aligned already.
    const Memory::Impl& impl = implOf(*argument.range.tensor);
    return (impl.buffer->offset() + argument.range.first * impl.elementSize) % alignment == 0;
}

std::vector<size_t> fftAxes(size_t dimensions, const std::vector<int>& axes,
                            const char* operation) {
    std::vector<size_t> chosen;
    for (size_t i = 0; axes.empty() && i < dimensions; ++i)
        chosen.push_back(i);
    for (const int axis : axes) {
        const size_t number = axisNumber(axis, dimensions, operation);
        if (std::find(chosen.begin(), chosen.end(), number) != chosen.end())
            fail<InvalidArgument>("{}: axis {} was given twice in ({})", operation, axis,
                                  join(axes));
        chosen.push_back(number);
    }
    if (chosen.size() > 3)
        fail<InvalidArgument>("{}: up to three axes are transformed at once, but there are {}; "
                              "choose them with `axes`",
                              operation, chosen.size());
    return chosen;
}

void requireFft(const char* operation) {
    if (!vulkan::hasVkFft())
        fail<Unsupported>("{} needs VkFFT, but this library was built without it (the CMake option "
                          "KOMPUTE_OPT_FFT); install VkFFT or allow fetching, and build it again",
                          operation);
}

} // namespace kp::primitives
