// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/OperationClass.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <typeinfo>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#define KOMPUTE_ITANIUM_ABI
#endif

#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/algorithm/DispatchCommands.hpp"

namespace kp {
namespace {

/// Returns the virtual table, which every supported ABI puts first in an object.
const void* const* virtualTable(const OpBase& op) {
    const void* const* table = nullptr;
    std::memcpy(&table, static_cast<const void*>(&op), sizeof table);
    return table;
}

} // namespace

bool isPlainDispatch(const OpBase& op) {
    static const void* const* const plain = virtualTable(OpAlgoDispatch(nullptr, nullptr, 0));
    return virtualTable(op) == plain;
}

std::string launchNameOf(const OpBase& op) {
    if (isPlainDispatch(op)) {
        const std::string* const name =
            DispatchCommands::nameOf(static_cast<const OpAlgoDispatch&>(op));
        return name ? *name : "dispatch";
    }
    std::string name = classNameOf(op); // "class kp::OpSort" of some compilers
    constexpr std::string_view kPrefix = "kp::Op";
    const size_t prefix = name.find(kPrefix);
    if (prefix != 0 && (prefix == std::string::npos || name[prefix - 1] != ' '))
        return name;
    name.erase(0, prefix + kPrefix.size());
    std::ranges::transform(name, name.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return name;
}

std::string classNameOf(const OpBase& op) {
#if defined(KOMPUTE_ITANIUM_ABI)
    if (!virtualTable(op)[-1]) // the class's std::type_info
        return "operation";
    const char* name = typeid(op).name();
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
    return status == 0 ? readable.get() : name;
#else
    return typeid(op).name();
#endif
}

} // namespace kp
