// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

// The system's functions for Files.cpp: FileAccessPosix.cpp and FileAccessWindows.cpp.
namespace kp::system {

/// Returns the content of a regular file of at most @p maxBytes bytes.
/// @param trusted  return nothing if others may have written it
std::optional<std::string> readOpened(const std::string& path, uint64_t maxBytes, bool trusted);

/// Writes a file that did not exist. @return false if it did, or cannot be written
/// @param forUserAlone  no other user may open it
bool writeNew(const std::string& path, std::initializer_list<std::string_view> parts,
              bool forUserAlone);

/// Gives a file another name, in place of the file that has it. Readers of either are not
/// disturbed.
bool moveOver(const std::string& from, const std::string& to);

/// Opens or creates a file to lock it. @return -1 if that fails
intptr_t openToLock(const std::string& path);
/// Returns false if another lock is held.
bool tryLock(intptr_t file);
void closeLocked(intptr_t file);

} // namespace kp::system
