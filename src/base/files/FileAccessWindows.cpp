// SPDX-License-Identifier: Apache-2.0
#include "base/files/FileAccess.hpp"

#if defined(_WIN32)

#include <algorithm>
#include <chrono>
#include <cwchar>
#include <memory>
#include <thread>
#include <vector>

#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

#include <kompute/logger/Logger.hpp>

#include "base/files/Path.hpp"

namespace kp::system {
namespace {

/// Others may do anything with a file while it is open.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// A virus scanner, or another process that replaces the file, closes it within this time.
constexpr std::chrono::seconds kBusyTime{2};

/// An open file or other object, closed with this one.
class Handle {
public:
    explicit Handle(HANDLE handle) : mHandle(handle) {}
    ~Handle() {
        if (*this)
            CloseHandle(mHandle);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    explicit operator bool() const { return mHandle != INVALID_HANDLE_VALUE; }
    HANDLE get() const { return mHandle; }

private:
    HANDLE mHandle;
};

struct LocalMemory {
    void operator()(void* memory) const { LocalFree(memory); }
};
using Descriptor = std::unique_ptr<void, LocalMemory>;

/// Repeats an attempt that fails only because another process has the file open at the moment.
template <typename Attempt>
bool whileBusy(const std::wstring& path, const Attempt& attempt) {
    const auto end = std::chrono::steady_clock::now() + kBusyTime;
    while (!attempt()) {
        const DWORD error = GetLastError();
        if (error != ERROR_SHARING_VIOLATION && error != ERROR_ACCESS_DENIED &&
            error != ERROR_LOCK_VIOLATION)
            return false;
        const DWORD attributes = GetFileAttributesW(path.c_str());
        if (attributes != INVALID_FILE_ATTRIBUTES &&
            (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY)) != 0)
            return false;
        if (std::chrono::steady_clock::now() >= end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// The user that this process runs as: a TOKEN_USER. Empty if the system does not say.
std::vector<unsigned char> tokenUser() {
    HANDLE token = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return {};
    const Handle owned(token);
    DWORD bytes = 0;
    GetTokenInformation(token, TokenUser, nullptr, 0, &bytes);
    std::vector<unsigned char> user(bytes);
    if (!GetTokenInformation(token, TokenUser, user.data(), bytes, &bytes))
        user.clear();
    return user;
}

/// Returns true for the user and for administrators of this machine.
bool isTrusted(PSID who, PSID user) {
    return (user && EqualSid(who, user)) || IsWellKnownSid(who, WinLocalSystemSid) ||
           IsWellKnownSid(who, WinBuiltinAdministratorsSid);
}

/// Returns true if an entry of an access list lets another user change the file.
bool letsOthersWrite(const ACE_HEADER& header, PSID user) {
    constexpr DWORD kChanges =
        FILE_WRITE_DATA | FILE_APPEND_DATA | WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
    if (header.AceType != ACCESS_ALLOWED_ACE_TYPE || (header.AceFlags & INHERIT_ONLY_ACE) != 0)
        return false;
    const auto& entry = reinterpret_cast<const ACCESS_ALLOWED_ACE&>(header);
    const PSID who = const_cast<DWORD*>(&entry.SidStart);
    return (entry.Mask & kChanges) != 0 && !isTrusted(who, user);
}

/// Returns why the content of a file cannot be trusted; null if it can.
const char* distrust(HANDLE file) {
    PSID owner = nullptr;
    PACL list = nullptr;
    PSECURITY_DESCRIPTOR found = nullptr;
    if (GetSecurityInfo(file, SE_FILE_OBJECT,
                        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, nullptr,
                        &list, nullptr, &found) != ERROR_SUCCESS)
        return "the system does not say who may write to it";
    const Descriptor descriptor(found);
    std::vector<unsigned char> token = tokenUser();
    const PSID user =
        token.empty() ? nullptr : reinterpret_cast<const TOKEN_USER*>(token.data())->User.Sid;
    if (!owner || !isTrusted(owner, user))
        return "it belongs to another user";
    if (!list)
        return "other users may write to it"; // there is no list: everyone may do anything
    for (DWORD i = 0; i < list->AceCount; ++i) {
        void* entry = nullptr;
        if (GetAce(list, i, &entry) && letsOthersWrite(*static_cast<ACE_HEADER*>(entry), user))
            return "other users may write to it";
    }
    return nullptr;
}

/// Returns a descriptor by which the user, the system and its administrators may do anything with a
/// file, and no other user may open it. Null on failure.
Descriptor forOneUser() {
    const std::vector<unsigned char> token = tokenUser();
    LPWSTR name = nullptr;
    if (token.empty() ||
        !ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(token.data())->User.Sid, &name))
        return nullptr;
    const Descriptor owned(name);
    const std::wstring user(name);
    const std::wstring text = L"O:" + user + L"D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;" + user + L")";
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(text.c_str(), SDDL_REVISION_1,
                                                              &descriptor, nullptr))
        return nullptr;
    return Descriptor(descriptor);
}

bool writeAll(HANDLE file, std::string_view text) {
    while (!text.empty()) {
        const auto part = static_cast<DWORD>(std::min<size_t>(text.size(), 1u << 30));
        DWORD written = 0;
        if (!WriteFile(file, text.data(), part, &written, nullptr) || written == 0)
            return false;
        text.remove_prefix(written);
    }
    return true;
}

} // namespace

/// The file is checked once it is open, so that it cannot be replaced in between.
std::optional<std::string> readOpened(const std::string& path, uint64_t maxBytes, bool trusted) {
    const std::wstring name = toPath(path).wstring();
    HANDLE opened = INVALID_HANDLE_VALUE;
    whileBusy(name, [&] {
        opened = CreateFileW(name.c_str(), GENERIC_READ, kShared, nullptr, OPEN_EXISTING,
                             FILE_ATTRIBUTE_NORMAL, nullptr);
        return opened != INVALID_HANDLE_VALUE;
    });
    const Handle file(opened);
    LARGE_INTEGER size{};
    if (!file || GetFileType(file.get()) != FILE_TYPE_DISK || !GetFileSizeEx(file.get(), &size) ||
        size.QuadPart < 0 || static_cast<uint64_t>(size.QuadPart) > maxBytes)
        return std::nullopt;
    if (const char* reason = trusted ? distrust(file.get()) : nullptr) {
        KP_LOG_WARN("{} is not used: {}", path, reason);
        return std::nullopt;
    }
    std::string content(static_cast<size_t>(size.QuadPart), '\0');
    for (size_t at = 0; at < content.size();) {
        const auto part = static_cast<DWORD>(std::min<size_t>(content.size() - at, 1u << 30));
        DWORD count = 0;
        if (!ReadFile(file.get(), content.data() + at, part, &count, nullptr) || count == 0)
            return std::nullopt;
        at += count;
    }
    return content;
}

bool writeNew(const std::string& path, std::initializer_list<std::string_view> parts,
              bool forUserAlone) {
    const Descriptor descriptor = forUserAlone ? forOneUser() : nullptr;
    if (forUserAlone && !descriptor)
        return false;
    SECURITY_ATTRIBUTES attributes{sizeof attributes, descriptor.get(), FALSE};
    const Handle file(CreateFileW(toPath(path).c_str(), GENERIC_WRITE, kShared,
                                  descriptor ? &attributes : nullptr, CREATE_NEW,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
    return file && std::ranges::all_of(
                       parts, [&](std::string_view part) { return writeAll(file.get(), part); });
}

bool moveOver(const std::string& from, const std::string& to) {
    const std::wstring source = toPath(from).wstring();
    const std::wstring target = toPath(to).wstring();
    return whileBusy(target, [&] {
        return MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
    });
}

intptr_t openToLock(const std::string& path) {
    return reinterpret_cast<intptr_t>(CreateFileW(toPath(path).c_str(),
                                                  GENERIC_READ | GENERIC_WRITE, kShared, nullptr,
                                                  OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
}

bool tryLock(intptr_t file) {
    OVERLAPPED range{};
    return LockFileEx(reinterpret_cast<HANDLE>(file),
                      LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &range) != 0;
}

void closeLocked(intptr_t file) {
    CloseHandle(reinterpret_cast<HANDLE>(file));
}

} // namespace kp::system

#endif
