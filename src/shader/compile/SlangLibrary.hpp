// SPDX-License-Identifier: Apache-2.0
//
// The part of Slang's binary interface that the library uses: C functions, which Slang keeps for
// older programs, and the interfaces through which it reads files. Tried with Slang 2025.7 and
// 2026.12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#ifdef _WIN32
#define KOMPUTE_SLANG_CALL __stdcall
#else
#define KOMPUTE_SLANG_CALL
#endif

namespace kp::shader::slang {

/// A negative value is a failure.
using Result = int32_t;
constexpr Result kOk = 0;
constexpr Result kNoInterface = static_cast<Result>(0x80004002);
constexpr Result kCannotOpen = static_cast<Result>(0x80004005);

constexpr int kSourceLanguageSlang = 1;
constexpr int kTargetSpirv = 6;
constexpr int kStageCompute = 6;
constexpr int kDebugInfoStandard = 2;

struct Session;
struct Request;

struct Guid {
    uint32_t data1;
    uint16_t data2;
    uint16_t data3;
    uint8_t data4[8];

    bool operator==(const Guid&) const = default;
};

// Slang calls the virtual functions of these by their position, so that nothing may be added.

class Unknown {
public:
    static constexpr Guid kGuid{0, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};

    virtual Result KOMPUTE_SLANG_CALL queryInterface(const Guid& guid, void** object) noexcept = 0;
    virtual uint32_t KOMPUTE_SLANG_CALL addRef() noexcept = 0;
    virtual uint32_t KOMPUTE_SLANG_CALL release() noexcept = 0;

protected:
    ~Unknown() = default;
};

/// The bytes of a file.
class Blob : public Unknown {
public:
    static constexpr Guid kGuid{
        0x8BA5FB08, 0x5195, 0x40E2, {0xAC, 0x58, 0x0D, 0x98, 0x9C, 0x3A, 0x01, 0x02}};

    virtual const void* KOMPUTE_SLANG_CALL data() noexcept = 0;
    virtual size_t KOMPUTE_SLANG_CALL size() noexcept = 0;

protected:
    ~Blob() = default;
};

class FileSystem : public Unknown {
public:
    static constexpr Guid kGuid{
        0x003A09FC, 0x3A4D, 0x4BA0, {0xAD, 0x60, 0x1F, 0xD8, 0x63, 0xA9, 0x15, 0xAB}};
    static constexpr Guid kCastableGuid{
        0x87EDE0E1, 0x4852, 0x44B0, {0x8B, 0xF2, 0xCB, 0x31, 0x87, 0x4D, 0xE2, 0x39}};

    virtual void* KOMPUTE_SLANG_CALL castAs(const Guid& guid) noexcept = 0;
    virtual Result KOMPUTE_SLANG_CALL loadFile(const char* path, Blob** blob) noexcept = 0;

protected:
    ~FileSystem() = default;
};

/// Slang's library. Loaded once per process and never closed.
class Library {
public:
    /// Opens the library on the first call; a failure is tried again by the next call. Thread-safe.
    /// @throws Unsupported that names the places where it was looked for
    static Library& get();

    /// Returns the session, which the first call makes in 0.5 to 2 seconds. Hold mutex().
    Session* session();
    /// A session compiles one source at a time.
    std::mutex& mutex() { return mMutex; }
    /// Returns Slang's version, such as "2026.12".
    const std::string& version() const { return mVersion; }

    Session* (*createSession)(const char*) = nullptr;
    int (*findProfile)(Session*, const char* name) = nullptr;
    const char* (*buildTag)() = nullptr;
    Request* (*createRequest)(Session*) = nullptr;
    void (*destroyRequest)(Request*) = nullptr;
    void (*setFileSystem)(Request*, FileSystem*) = nullptr;
    void (*setTarget)(Request*, int target) = nullptr;
    void (*setProfile)(Request*, int target, int profile) = nullptr;
    void (*setDebugInfo)(Request*, int level) = nullptr;
    void (*addSearchPath)(Request*, const char* folder) = nullptr;
    int (*addTranslationUnit)(Request*, int language, const char* name) = nullptr;
    void (*addSource)(Request*, int unit, const char* path, const char* first,
                      const char* last) = nullptr;
    int (*addEntryPoint)(Request*, int unit, const char* name, int stage) = nullptr;
    Result (*compile)(Request*) = nullptr;
    const char* (*diagnostics)(Request*) = nullptr;
    const void* (*entryPointCode)(Request*, int entryPoint, size_t* bytes) = nullptr;

private:
    /// Opens a library and finds the functions.
    /// @return false, and a reason, if it is not a library, or not Slang's
    bool open(const std::string& library, std::string& reason);

    std::mutex mMutex;
    Session* mSession = nullptr;
    std::string mVersion;
};

} // namespace kp::shader::slang
