// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/BindingText.hpp"

#include "base/Text.hpp"

namespace kp {

std::string quotedName(const std::string& name) {
    return name.empty() ? std::string() : formatted(" '{}'", name);
}

std::string describeBinding(const shader::Binding& binding) {
    const std::string set = binding.set == 0 ? std::string() : formatted(" of set {}", binding.set);
    return formatted("binding {}{}{}", binding.binding, set, quotedName(binding.name));
}

std::string describeDescriptor(const shader::Binding& binding, uint32_t element) {
    return binding.count == 1 ? describeBinding(binding)
                              : formatted("element {} of {}", element, describeBinding(binding));
}

std::string describeMemory(const Memory::Impl& memory) {
    return formatted("{}{} of {} {}", memory.image ? "an image" : "a tensor",
                     quotedName(memory.entry.name()), memory.count,
                     Memory::toString(memory.dataType));
}

} // namespace kp
