// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/operations/OpBase.hpp>

// The class of an operation. Programs may compile their classes without RTTI, and for those typeid
// and dynamic_cast would crash.
namespace kp {

/// Returns true for an OpAlgoDispatch itself, false for objects of derived classes.
bool isPlainDispatch(const OpBase& op);

/// Returns the name of the class, such as "kp::OpCopy"; "operation" for a class without RTTI.
std::string classNameOf(const OpBase& op);

/// Returns the name of an operation in profiles: "argsort" for an OpArgSort, and the name that
/// array code has given to its dispatch.
std::string launchNameOf(const OpBase& op);

} // namespace kp
