// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "base/Text.hpp"

namespace kp {

std::string formatArguments(fmt::string_view format, fmt::format_args arguments) {
    return fmt::vformat(format, arguments);
}

} // namespace kp
