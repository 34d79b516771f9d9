// SPDX-License-Identifier: Apache-2.0
//
// Pages whose code is that of an example.
#include "DocsSupport.hpp"

#include <gtest/gtest.h>

namespace kp::test {
namespace {

TEST(ExampleDocsTest, ThePageOnMpiHasTheCodeOfItsExample) {
    expectCodeOfPage("docs/mpi.md", "examples/mpi_heat/Device.cpp", 1);
}

} // namespace
} // namespace kp::test
