// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::test {

using kp::Predicate;
using kp::SelectOptions;
using kp::TensorRange;

inline constexpr auto kOnDevice = kp::Memory::MemoryTypes::eStorage;

using Words3 = std::array<uint32_t, 3>;

class SelectTest : public DeviceTest {
protected:
    template <typename T>
    std::shared_ptr<kp::TensorT<T>> deviceTensor(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kOnDevice);
    }

    template <typename T, typename Flag>
    void expectSelected(const std::vector<T>& values, const std::vector<Flag>& flags) {
        std::vector<T> chosen;
        std::vector<T> others;
        for (size_t i = 0; i < values.size(); ++i)
            (flags[i] != Flag(0) ? chosen : others).push_back(values[i]);
        const auto in = deviceTensor(values);
        const auto flagTensor = deviceTensor(flags);
        const auto out = deviceTensor(std::vector<T>(values.size()));
        const auto count = manager.tensorT<uint32_t>(1);
        manager.sequence()->eval<kp::OpSelect>(in, flagTensor, out, count);
        ASSERT_EQ(count->vector().front(), chosen.size()) << values.size();
        auto given = onDevice<T>(*out);
        given.resize(chosen.size());
        EXPECT_EQ(given, chosen) << values.size();

        const auto wideCount = manager.tensorT<int64_t>(1);
        manager.sequence()->eval<kp::OpPartition>(in, flagTensor, out, wideCount);
        EXPECT_EQ(wideCount->vector().front(), static_cast<int64_t>(chosen.size()));
        chosen.insert(chosen.end(), others.begin(), others.end());
        EXPECT_EQ(onDevice<T>(*out), chosen) << values.size();
    }

    template <typename T>
    std::vector<T> distinctValues(size_t count) {
        const auto bytes = randomValues<uint8_t>(count * sizeof(T), count);
        std::vector<T> values(count);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
};

} // namespace kp::test
