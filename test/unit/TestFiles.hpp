// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace kp::test {

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void writeFile(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// An empty folder for one test. Deleted with the object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        mPath = std::filesystem::temp_directory_path() /
                ("kompute-" + std::string(test->test_suite_name()) + "-" + test->name() + "-" +
                 std::to_string(std::random_device{}()));
        std::filesystem::create_directories(mPath);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(mPath, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return mPath; }
    /// Returns the path of a file in the folder, with forward slashes.
    std::string path(const std::string& name) const { return (mPath / name).generic_string(); }

    /// Writes a file, creates the folders above it, and returns its path.
    std::string write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = mPath / name;
        std::filesystem::create_directories(file.parent_path());
        writeFile(file, text);
        return file.generic_string();
    }

private:
    std::filesystem::path mPath;
};

} // namespace kp::test
