// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/Error.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/primitives/Operator.hpp>

/// Building blocks of array functions, for functions that the library lacks and for bindings of
/// other languages. Errors as for Array.
namespace kp::arrays {

/// An index out of its axis's bounds.
class KOMPUTE_API OutOfBounds : public InvalidArgument {
public:
    using InvalidArgument::InvalidArgument;
};

/// How an index moves through a view: by a stride in elements. Negative indices count from the end
/// of the extent.
struct Step {
    int64_t extent;
    int64_t stride;
    int64_t axis = -1; ///< for messages; negative if the indices are known to be within the extent
    bool operator==(const Step& other) const {
        return extent == other.extent && stride == other.stride;
    }
};

/// Returns, for each element of a shape, an offset plus its indices times strides.
KOMPUTE_API Array addresses(Manager& manager, const Shape& shape, int64_t offset,
                            const Shape& strides, DType dtype);

/// Returns a function of the table, of operands that broadcast to a shape.
/// @param types  to which the operands are converted first
KOMPUTE_API Array call(const Function& function, DType dtype, const Shape& shape,
                       const std::vector<Operand>& operands, const std::vector<DType>& types);

/// Returns elements that indices select. Waits if the indices have to be checked.
/// @param base     evaluated; it has the shape of the result, with stride 0 along axes of indices
/// @param indices  that broadcast to the shape, of integers
/// @param steps    one for each index
/// @throws OutOfBounds
KOMPUTE_API Array take(const Array& base, const std::vector<Array>& indices,
                       const std::vector<Step>& steps);
/// Assigns a value to the elements that indices select. It broadcasts to the target's shape and has
/// its type. If indices repeat, one value wins. Waits if the indices have to be checked.
/// @param mask null, or where to set elements
/// @throws OutOfBounds then no element is set
KOMPUTE_API void put(const Array& target, const Array& value, const std::vector<Array>& indices,
                     const std::vector<Step>& steps, const Array& mask = {});

/// Returns the indices (eInt64), in C order or along an axis, of the first smallest or largest
/// elements that are not NaN; -1 if there are only NaNs. Of no elements, argmin() throws.
/// @param operation  eArgMinimum or eArgMaximum
KOMPUTE_API Array indexOfNumber(const Array& x, ReduceOperation operation,
                                std::optional<int64_t> axis, bool keepAxis);

/// Lets one kernel compute several arrays of one shape once the first of them is needed.
KOMPUTE_API void together(const std::vector<Array>& arrays);

/// Replaces the elements of an array by another array's of the same shape and type, which must not
/// be used afterwards. The first array must own its memory alone; see isAlone().
KOMPUTE_API void become(const Array& target, const Array& value);
/// Returns true if no other array shares the memory, so that it may be replaced.
KOMPUTE_API bool isAlone(const Array& array);
/// Lets expressions that read the memory keep the current elements.
KOMPUTE_API void beforeWrite(const Array& array);

/// Returns a number in host memory with an undefined value, for a primitive to write: reading it
/// then takes no copy.
KOMPUTE_API Array hostNumber(Manager& manager, DType dtype);
/// Returns the array, or a copy, as a view that is all of its memory in C order.
KOMPUTE_API Array whole(const Array& array);
/// Returns the array, or a copy, in C order without gaps.
KOMPUTE_API Array contiguous(const Array& array);
/// Returns an array in the memory of a tensor that nothing else changes.
KOMPUTE_API Array owning(const std::shared_ptr<Tensor>& tensor, Manager& manager,
                         const Shape& shape, DType dtype);
/// Returns the memory of an array. The library may reuse it for other arrays once no array uses it
/// and the tensor has no other owner.
KOMPUTE_API std::shared_ptr<Tensor> memoryOf(const Array& array);
/// Returns the same address for all arrays that are views of the same memory, regardless of type.
KOMPUTE_API const void* memoryKeyOf(const Array& array);
/// Keeps the memory of an array from being used for other arrays.
KOMPUTE_API void keepMemory(const Array& array);

/// Launches operations of the library on the manager's default queue, one after the other, and
/// returns at once.
/// Small primitives with memory of arrays that come again are not recorded again.
/// @throws as Queue::launch()
KOMPUTE_API void launch(Manager& manager, std::vector<std::shared_ptr<OpBase>> operations);

/// Returns why arrays of a manager cannot have a type; empty if they can.
KOMPUTE_API std::string unsupportedReason(Manager& manager, DType dtype);
/// @throws Unsupported with that reason
KOMPUTE_API void require(Manager& manager, DType dtype);
/// @throws Unsupported if an array of a shape has more elements than kernels count
KOMPUTE_API void requireCountable(const Shape& shape);

/// Limits the bytes of memory that kernels of a manager's arrays bind, as on a device with that
/// limit. For tests.
KOMPUTE_API void pretendRange(Manager& manager, uint64_t bytes);
/// Makes a manager's arrays refuse a type, with a reason. For tests.
KOMPUTE_API void pretendLack(Manager& manager, DType dtype, std::string reason);
/// Ends defaultManager(); the next call makes another one. For tests.
KOMPUTE_API void dropDefaultManager();

/// Returns true if the device has shaderFloat64, on which defaultFloat(Manager&) depends.
KOMPUTE_API bool hasDoubles(Manager& manager);
/// Sets whether the warning of defaultFloat(Manager&) was given, and returns whether it was before.
KOMPUTE_API bool exchangeSinglesNoted(bool noted);

/// Sets an object that every later array of a manager keeps alive, such as the manager's owner.
KOMPUTE_API void setOwner(Manager& manager, std::weak_ptr<void> owner);
/// Returns the owner of setOwner(); null if it was not called, or the owner was destroyed.
KOMPUTE_API std::shared_ptr<void> ownerOf(const Array& array);
/// Sets the object that stands for the memory in another language, which the memory keeps.
KOMPUTE_API void setHandle(const Array& array, std::shared_ptr<void> handle);
KOMPUTE_API std::shared_ptr<void> handleOf(const Array& array);

/// @throws InvalidArgument while a function is captured, whose calls would repeat the same numbers.
/// Functions that draw random numbers with kernels of their own call this first.
KOMPUTE_API void refuseCapturedRandom();

} // namespace kp::arrays
