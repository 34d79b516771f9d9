// SPDX-License-Identifier: Apache-2.0
#include "base/files/Files.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#if defined(_WIN32)
#include <windows.h>

#include <sddl.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <gtest/gtest.h>

#include "base/files/Path.hpp"
#include "unit/TestFiles.hpp"
#include "unit/TestThreads.hpp"

namespace kp {
namespace {

namespace fs = std::filesystem;

TEST(Files, ReplacesAndReadsAFile) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("file");
    EXPECT_TRUE(replaceFile(path, {"old"}));
    EXPECT_TRUE(replaceFile(path, {"new", std::string_view("\0 ", 2), "", "text"}));
    EXPECT_EQ(readFile(path), std::string("new\0 text", 9));
    EXPECT_EQ(readFile(path, 9), std::string("new\0 text", 9));
    EXPECT_EQ(readFile(path, 8), std::nullopt);
    EXPECT_TRUE(replaceFile(path, {}));
    EXPECT_EQ(readFile(path), "");
}

TEST(Files, ReportsFailuresAndLeavesNoPartialFile) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(readFile(folder.path("missing")), std::nullopt);
    EXPECT_EQ(readFile(folder.path().string()), std::nullopt) << "a folder is not a file";
    EXPECT_FALSE(replaceFile(folder.path("no/such/folder"), {"text"}));
    folder.write("folder/file", "text");
    EXPECT_FALSE(replaceFile(folder.path("folder"), {"text"})) << "a folder is not replaced";
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), kPartialFileExtension);
}

TEST(Files, HaveNamesInUtf8) {
    const test::TemporaryFolder folder;
    const fs::path name = u"gr\u00fc\u00dfe-\u4e16.txt";
    EXPECT_EQ(toPath("gr\xC3\xBC\xC3\x9F"
                     "e-\xE4\xB8\x96.txt"),
              name);
    const std::string path = toText(folder.path() / name);
    EXPECT_EQ(toPath(path), folder.path() / name);
    EXPECT_TRUE(replaceFile(path, {"text"}));
    EXPECT_TRUE(fs::exists(folder.path() / name));
    EXPECT_EQ(readFile(path), "text");
    EXPECT_TRUE(FileLock(path, 0));
}

#if defined(_WIN32)
/// Sets who may do what with a file, in the security descriptor definition language.
bool setRights(const std::string& path, const wchar_t* rights) {
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(rights, SDDL_REVISION_1, &descriptor,
                                                              nullptr))
        return false;
    const bool done =
        SetFileSecurityW(toPath(path).c_str(), DACL_SECURITY_INFORMATION, descriptor) != 0;
    LocalFree(descriptor);
    return done;
}

TEST(Files, BelievesOnlyCacheFilesThatNobodyElseCanWrite) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("file");
    ASSERT_TRUE(replaceCacheFile(path, {"text"}));
    EXPECT_EQ(readCacheFile(path), "text");
    ASSERT_TRUE(setRights(path, L"D:P(A;;FA;;;OW)(A;;FA;;;SY)(A;;FA;;;WD)"));
    EXPECT_EQ(readCacheFile(path), std::nullopt) << "everybody may write to it";
    EXPECT_EQ(readFile(path), "text");
    ASSERT_TRUE(replaceCacheFile(path, {"other"}));
    EXPECT_EQ(readCacheFile(path), "other");
}

TEST(Files, ReplacesAFileThatIsOpen) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("file");
    ASSERT_TRUE(replaceFile(path, {"old"}));
    const HANDLE reader = CreateFileW(toPath(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                                      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    ASSERT_NE(reader, INVALID_HANDLE_VALUE);
    std::thread closing([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CloseHandle(reader);
    });
    EXPECT_TRUE(replaceFile(path, {"new"}));
    closing.join();
    EXPECT_EQ(readFile(path), "new");
}
#else
TEST(Files, NeverWaitsForAPipeNorReadsAHugeFile) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(readFile(folder.path("pipe")), std::nullopt);
    EXPECT_EQ(readCacheFile(folder.path("pipe")), std::nullopt);
    EXPECT_EQ(readCacheFile(folder.path().string()), std::nullopt);
    EXPECT_EQ(readCacheFile("/dev/zero"), std::nullopt);
    ASSERT_TRUE(replaceCacheFile(folder.path("huge"), {"text"}));
    fs::resize_file(folder.path("huge"), uint64_t{1} << 40); // has no blocks on the disk
    EXPECT_EQ(readCacheFile(folder.path("huge")), std::nullopt);
    fs::create_symlink(folder.path("huge"), folder.path("link"));
    EXPECT_EQ(readCacheFile(folder.path("link")), std::nullopt);
}

TEST(Files, BelievesOnlyCacheFilesThatNobodyElseCanWrite) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("file");
    const mode_t before = ::umask(0);
    EXPECT_TRUE(replaceCacheFile(path, {"text"}));
    ::umask(before);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(readCacheFile(path), "text");
    for (const fs::perms writable : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(path, writable, fs::perm_options::add);
        EXPECT_EQ(readCacheFile(path), std::nullopt);
        EXPECT_EQ(readFile(path), "text");
        fs::permissions(path, writable, fs::perm_options::remove);
    }
    EXPECT_EQ(readCacheFile(path), "text");
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
        EXPECT_EQ(readCacheFile(path), std::nullopt) << "it belongs to another user";
    }
}
#endif

TEST(Files, ReadersNeverSeeAPartialFile) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path("file");
    const std::string contents[] = {std::string(100'000, 'a'), std::string(50'000, 'b')};
    ASSERT_TRUE(replaceFile(path, {contents[0]}));
    std::atomic<int> failures{0};
    test::runInThreads(4, [&](int number) {
        for (int i = 0; i < 50; ++i) {
            if (number < 2) {
                failures += replaceFile(path, {contents[i % 2]}) ? 0 : 1;
            } else {
                const auto read = readFile(path);
                failures += read == contents[0] || read == contents[1] ? 0 : 1;
            }
        }
    });
    EXPECT_EQ(failures, 0);
}

TEST(FileLock, HasOneHolderAtATime) {
    const test::TemporaryFolder temporary;
    const fs::path path = temporary.path() / "lock";
    {
        const FileLock first(path.string(), 0);
        EXPECT_TRUE(first);
        const FileLock second(path.string(), 0.01);
        EXPECT_FALSE(second);
    }
    EXPECT_TRUE(FileLock(path.string(), 0));
    // A released lock goes to a thread that waits for it.
    std::atomic<bool> waited{false};
    {
        auto first = std::make_unique<FileLock>(path.string(), 0);
        std::thread other([&] { waited = static_cast<bool>(FileLock(path.string(), 30)); });
        first.reset();
        other.join();
    }
    EXPECT_TRUE(waited);
    fs::remove(path);
    EXPECT_FALSE(FileLock((path / "no" / "folder").string(), 0));
}

} // namespace
} // namespace kp
