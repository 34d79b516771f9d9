// SPDX-License-Identifier: Apache-2.0
//
// The functions of <kompute/program.h> that make programs of primitives. kompute::runtime has
// src/runtime instead.
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <kompute/primitives/matrices/OpMatMul.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/primitives/scan/OpScan.hpp>
#include <kompute/primitives/sort/OpSort.hpp>
#include <kompute/primitives/transforms/OpFFT.hpp>

#include "base/Text.hpp"
#include "c/Objects.hpp"

namespace kp {
namespace {

ReduceOperation operationOf(kp_operation operation) {
    switch (operation) {
    case KP_SUM:
        return ReduceOperation::eSum;
    case KP_PRODUCT:
        return ReduceOperation::eProduct;
    case KP_MINIMUM:
        return ReduceOperation::eMinimum;
    case KP_MAXIMUM:
        return ReduceOperation::eMaximum;
    }
    fail<InvalidArgument>("{} is not a kp_operation", static_cast<int>(operation));
}

/// Makes the program of one primitive.
class Maker {
public:
    Maker(kp_manager* manager, kp_type type) : mType(typeOf(type)) {
        requirePointers(manager);
        mManager = manager->manager;
    }
    std::shared_ptr<Tensor> tensor(std::initializer_list<uint64_t> extents) {
        uint64_t count = 1;
        for (const uint64_t extent : extents) {
            if (extent == 0 || count > UINT64_MAX / extent)
                throw InvalidArgument("the sizes of a primitive are at least 1, and fit into 64 "
                                      "bits");
            count *= extent;
        }
        return mManager->tensor(count, Memory::dataTypeMemorySize(mType), mType,
                                Memory::MemoryTypes::eStorage);
    }
    template <typename Operation, typename... Arguments>
    kp_program* make(const NamedTensors& inputs, const NamedTensors& outputs,
                     Arguments&&... arguments) {
        const std::shared_ptr<Sequence> sequence = mManager->sequence();
        sequence->record(std::make_shared<Operation>(std::forward<Arguments>(arguments)...));
        return new kp_program{mManager, Program::of(*sequence, inputs, outputs)};
    }

private:
    std::shared_ptr<Manager> mManager;
    Memory::DataTypes mType;
};

} // namespace
} // namespace kp

using kp::guarded;
using kp::requirePointers;

extern "C" {

kp_status kp_program_sort(kp_manager* manager, kp_type type, uint64_t count, int descending,
                          kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto keys = maker.tensor({count});
        kp::SortOptions options;
        options.descending = descending != 0;
        *program = maker.make<kp::OpSort>({{"keys", keys}}, {{"keys", keys}}, keys,
                                          kp::TensorRange(), options);
    });
}

kp_status kp_program_reduce(kp_manager* manager, kp_type type, uint64_t count,
                            kp_operation operation, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({count});
        const auto out = maker.tensor({1});
        *program = maker.make<kp::OpReduce>({{"in", in}}, {{"out", out}}, in, out,
                                            kp::operationOf(operation));
    });
}

kp_status kp_program_scan(kp_manager* manager, kp_type type, uint64_t count, kp_operation operation,
                          int exclusive, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({count});
        const auto out = maker.tensor({count});
        kp::ScanOptions options;
        options.exclusive = exclusive != 0;
        *program = maker.make<kp::OpScan>({{"in", in}}, {{"out", out}}, in, out,
                                          kp::operationOf(operation), options);
    });
}

kp_status kp_program_fft(kp_manager* manager, kp_type type, uint64_t rows, uint64_t length,
                         int inverse, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({rows, length, 2});
        const auto out = maker.tensor({rows, length, 2});
        kp::FftOptions options;
        options.inverse = inverse != 0;
        options.axes = {-1};
        *program = maker.make<kp::OpFFT>({{"in", in}}, {{"out", out}}, in, out,
                                         std::vector<uint64_t>{rows, length}, options);
    });
}

kp_status kp_program_matmul(kp_manager* manager, kp_type type, uint64_t rows, uint64_t inner,
                            uint64_t columns, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto a = maker.tensor({rows, inner});
        const auto b = maker.tensor({inner, columns});
        const auto c = maker.tensor({rows, columns});
        *program = maker.make<kp::OpMatMul>({{"a", a}, {"b", b}}, {{"c", c}}, a, b, c,
                                            kp::MatrixExtents{rows, columns, inner});
    });
}

} // extern "C"
