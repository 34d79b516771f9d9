// SPDX-License-Identifier: Apache-2.0
//
// Compiled shaders on disk: DiskCache itself, and compile() with it.
#include "shader/compile/CompileCache.hpp"

#include <atomic>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "ShaderTestTools.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestFiles.hpp"
#include "unit/TestThreads.hpp"

namespace kp::shader {
namespace {

namespace fs = std::filesystem;

using test::readFile;
using test::writeFile;

class DiskCacheTest : public ::testing::Test {
protected:
    DiskCacheTest() { clearCompileCache(); }

    std::string folder() const { return mFolder.string(); }

    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        std::error_code none;
        for (fs::directory_iterator at(mFolder / "shaders", none); at != fs::directory_iterator();
             at.increment(none))
            found.push_back(at->path());
        return found;
    }

    CompileOptions options() const {
        CompileOptions options;
        options.cacheFolder = folder();
        return options;
    }

    const test::TemporaryFolder mTemporary;
    const fs::path mFolder = mTemporary.path();
};

const std::string kKey = "a request";

Compiled example(size_t words = 100, const std::string& request = kKey) {
    Compiled compiled;
    compiled.request = request;
    compiled.spirv.assign(words, 7);
    compiled.spirv[0] = 0x07230203;
    compiled.includes = {{"a.glsl", "main.comp", Lookup::eQuoted, "/x/a.glsl", "text"},
                         {"b.glsl", "/x/a.glsl", Lookup::eFolders, "/y/b.glsl", "\xff"}};
    return compiled;
}

const std::string kSource = "#version 450\nlayout(local_size_x = 1) in;\n"
                            "layout(binding = 0) buffer B { uint v[]; };\n"
                            "void main() { v[0] = 4711u; }\n";

TEST_F(DiskCacheTest, LoadsWhatWasStored) {
    const DiskCache cache(folder());
    EXPECT_FALSE(cache.load(kKey));
    ASSERT_TRUE(cache.store(example()));
    const auto found = cache.load(kKey);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->spirv, example().spirv);
    ASSERT_EQ(found->includes.size(), 2u);
    EXPECT_EQ(found->includes[0].resolved, "/x/a.glsl");
    EXPECT_EQ(found->includes[0].lookup, Lookup::eQuoted);
    EXPECT_EQ(found->includes[1].lookup, Lookup::eFolders);
    EXPECT_EQ(found->includes[1].contents, "\xff");
    EXPECT_FALSE(cache.load("another request"));
    EXPECT_EQ(files().size(), 1u) << "another file is left";
}

TEST_F(DiskCacheTest, StoresNothingWithoutAFolder) {
    const DiskCache cache("");
    EXPECT_FALSE(cache.store(example()));
    EXPECT_FALSE(cache.load(kKey));
    EXPECT_EQ(cache.file(kKey), "");
}

TEST_F(DiskCacheTest, RejectsTruncatedFiles) {
    const DiskCache cache(folder());
    cache.store(example(20));
    const std::string whole = readFile(cache.file(kKey));
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
        writeFile(cache.file(kKey), whole.substr(0, bytes));
        ASSERT_FALSE(cache.load(kKey)) << bytes << " of " << whole.size() << " bytes";
    }
    writeFile(cache.file(kKey), whole + "x");
    EXPECT_FALSE(cache.load(kKey));
    writeFile(cache.file(kKey), whole);
    EXPECT_TRUE(cache.load(kKey));
}

TEST_F(DiskCacheTest, RejectsAFileWithAFlippedBit) {
    const DiskCache cache(folder());
    cache.store(example(20));
    const std::string whole = readFile(cache.file(kKey));
    for (size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        writeFile(cache.file(kKey), damaged);
        ASSERT_FALSE(cache.load(kKey)) << "byte " << at;
    }
}

TEST_F(DiskCacheTest, RejectsForeignFiles) {
    const DiskCache cache(folder());
    cache.store(example());
    const std::string other = "another request";
    fs::copy_file(cache.file(kKey), cache.file(other));
    EXPECT_FALSE(cache.load(other)) << "this is the entry of another key";
    writeFile(cache.file(other), "#!/bin/sh\n");
    EXPECT_FALSE(cache.load(other));
    fs::remove(cache.file(other));
    fs::create_directory(cache.file(other));
    EXPECT_FALSE(cache.load(other));
    EXPECT_FALSE(cache.store(example(100, other)));
    EXPECT_EQ(files().size(), 2u) << "a temporary file is left";
}

TEST_F(DiskCacheTest, DoesWithoutAFolderThatCannotBeWritten) {
    writeFile(mFolder / "file", "not a folder");
    const DiskCache cache((mFolder / "file").string());
    EXPECT_FALSE(cache.store(example()));
    EXPECT_FALSE(cache.load(kKey));
    CompileOptions unwritable;
    unwritable.cacheFolder = (mFolder / "file").string();
    clearCompileCache();
    EXPECT_FALSE(compile(kSource, unwritable).empty());
}

TEST_F(DiskCacheTest, StaysWithinItsSizeLimit) {
    constexpr uint64_t kBound = 20'000;
    const DiskCache cache(folder(), kBound);
    writeFile(mFolder / "shaders.txt", "beside");
    for (uint64_t i = 0; i < 40; ++i) {
        ASSERT_TRUE(cache.store(example(300, std::to_string(i))));
        // File times may be coarse, so give each file a distinct one.
        fs::last_write_time(cache.file(std::to_string(i)),
                            fs::file_time_type::clock::now() - std::chrono::minutes(100 - i));
        uint64_t total = 0;
        for (const fs::path& path : files())
            total += fs::file_size(path);
        ASSERT_LE(total, kBound);
    }
    EXPECT_FALSE(cache.load("0")) << "the oldest entry must go";
    EXPECT_TRUE(cache.load("39"));
    EXPECT_GE(files().size(), 5u);
    EXPECT_FALSE(cache.store(example(kBound)));
}

TEST_F(DiskCacheTest, RemovesOnlyOldUnfinishedFiles) {
    const DiskCache cache(folder(), 100'000);
    cache.store(example());
    const fs::path old = mFolder / "shaders" / "x.part", fresh = mFolder / "shaders" / "y.part",
                   notes = mFolder / "shaders" / "notes.txt";
    for (const fs::path& path : {old, fresh, notes})
        writeFile(path, "text");
    for (const fs::path& path : {old, notes})
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(3));
    cache.store(example(100, "5"));
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(fresh));
    EXPECT_TRUE(fs::exists(notes));
}

TEST_F(DiskCacheTest, ServesManyThreads) {
    const DiskCache cache(folder(), 200'000);
    std::atomic<int> wrong{0};
    test::runInThreads(4, [&](int) {
        for (uint64_t i = 0; i < 60; ++i) {
            cache.store(example(500 + i % 5, std::to_string(i % 5)));
            const auto found = cache.load(std::to_string(i % 5));
            if (found && found->spirv != example(500 + i % 5).spirv)
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(files().size(), 5u);
}

/// Marks stored modules, so that a test can tell whether compile() loaded them.
class CompileOnDisk : public DiskCacheTest {
protected:
    static constexpr uint32_t kMark = 0xabcdef01;
    static constexpr size_t kHeaderBytes = 32;

    void mark() {
        for (const fs::path& path : files()) {
            // The file is a header and then CBOR.
            std::string content = readFile(path);
            auto all = nlohmann::json::from_cbor(std::string_view(content).substr(kHeaderBytes));
            const auto& request = all.at("request").get_binary();
            const DiskCache cache(folder());
            auto compiled = cache.load({request.begin(), request.end()});
            ASSERT_TRUE(compiled);
            compiled->spirv.push_back(kMark);
            ASSERT_TRUE(cache.store(*compiled));
        }
        clearCompileCache();
    }
    static bool marked(const std::vector<uint32_t>& spirv) { return spirv.back() == kMark; }
};

TEST_F(CompileOnDisk, ReusesAStoredModule) {
    const auto first = compile(kSource, options());
    EXPECT_EQ(files().size(), 1u);
    mark();
    EXPECT_TRUE(marked(compile(kSource, options())));
    EXPECT_TRUE(marked(compile(kSource, options()))) << "from memory this time";
    clearCompileCache();
    CompileOptions off = options();
    off.cacheFolder = "off";
    EXPECT_EQ(compile(kSource, off), first);
}

TEST_F(CompileOnDisk, StoresWhatWasCompiledForAnotherFolder) {
    CompileOptions off = options();
    off.cacheFolder = "off";
    const auto first = compile(kSource, off);
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(compile(kSource, options()), first);
    EXPECT_EQ(files().size(), 1u);
    mark();
    EXPECT_TRUE(marked(compile(kSource, options())));
}

TEST_F(CompileOnDisk, DistinguishesSourcesAndOptions) {
    compile(kSource, options());
    mark();
    std::vector<CompileOptions> others(7, options());
    others[0].defines = {{"A", "1"}};
    others[1].vulkanVersion = test::vulkan(2);
    others[2].debugInfo = true;
    others[3].fileName = "other.comp";
    others[4].includeFolders = {folder()};
    others[5].entryPoint = "start";
    others[6].includes = IncludePolicy::eNone;
    for (const CompileOptions& other : others)
        EXPECT_FALSE(marked(compile(kSource, other))) << &other - others.data();
    EXPECT_FALSE(marked(compile(kSource + "\n", options())));
    EXPECT_EQ(files().size(), 9u);
}

TEST_F(CompileOnDisk, RecompilesIfAnIncludedFileChanges) {
    const std::string source = "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
                               "#include \"part.glsl\"\n"
                               "layout(binding = 0) buffer B { uint v[]; };\n"
                               "void main() { v[0] = PART; }\n";
    CompileOptions with = options();
    with.includeFolders = {(mFolder / "first").string(), (mFolder / "second").string()};
    for (const char* name : {"first", "second"})
        fs::create_directory(mFolder / name);
    writeFile(mFolder / "second" / "part.glsl", "#define PART 1u\n");
    const auto one = compile(source, with);
    mark();
    EXPECT_TRUE(marked(compile(source, with)));
    clearCompileCache();
    writeFile(mFolder / "second" / "part.glsl", "#define PART 2u\n");
    const auto two = compile(source, with);
    EXPECT_FALSE(marked(two));
    EXPECT_NE(two, one);
    mark();
    writeFile(mFolder / "first" / "part.glsl", "#define PART 3u\n"); // hides the other
    EXPECT_FALSE(marked(compile(source, with)));
    clearCompileCache();
    fs::remove(mFolder / "first" / "part.glsl");
    fs::remove(mFolder / "second" / "part.glsl");
    EXPECT_THROW(compile(source, with), ShaderError);
}

TEST_F(CompileOnDisk, ReplacesADamagedFile) {
    const auto first = compile(kSource, options());
    ASSERT_EQ(files().size(), 1u);
    writeFile(files()[0], "damaged");
    clearCompileCache();
    EXPECT_EQ(compile(kSource, options()), first);
    clearCompileCache();
    EXPECT_GT(fs::file_size(files()[0]), 100u);
    mark();
    EXPECT_TRUE(marked(compile(kSource, options())));
}

/// A folder that an installer filled with the marked result of kSource.
class ShippedCache : public CompileOnDisk {
protected:
    ShippedCache() {
        compile(kSource, options());
        mark();
    }
    /// The options of a user, whose own folder is empty.
    CompileOptions users() const {
        CompileOptions options;
        options.cacheFolder = mOwn.path().string();
        options.cachePath = folder();
        return options;
    }
    bool ownIsEmpty() const { return fs::is_empty(mOwn.path()); }

    const test::TemporaryFolder mOwn;
};

TEST_F(ShippedCache, SparesUsersTheCompilation) {
    CompileOptions later = users();
    later.cachePath = (mOwn.path() / "missing").string() + kPathSeparator + folder();
    for (const CompileOptions& each : {users(), later}) {
        clearCompileCache();
        EXPECT_TRUE(marked(compile(kSource, each)));
        EXPECT_TRUE(marked(compile(kSource, each))) << "from memory this time";
        EXPECT_TRUE(findCompiled(kSource, each));
    }
    EXPECT_TRUE(ownIsEmpty()) << "a shipped result is not stored again";
    CompileOptions off = users();
    off.cacheFolder = "off";
    clearCompileCache();
    EXPECT_TRUE(marked(compile(kSource, off)));
    off.cachePath = "off";
    clearCompileCache();
    EXPECT_FALSE(marked(compile(kSource, off)));
}

TEST_F(ShippedCache, ComesAfterTheUsersOwn) {
    CompileOptions own = users();
    own.cachePath = "off";
    clearCompileCache();
    compile(kSource, own);
    clearCompileCache();
    EXPECT_FALSE(marked(compile(kSource, users())));
}

TEST_F(ShippedCache, IsNeverWritten) {
    const auto before = files();
    const std::string contents = readFile(before.at(0));
    compile(kSource + "// another\n", users());
    EXPECT_EQ(files(), before);
    EXPECT_FALSE(ownIsEmpty());
    EXPECT_FALSE(DiskCache::shipped(folder(), true).store(example()));
    EXPECT_EQ(files(), before);
    EXPECT_EQ(readFile(before.at(0)), contents);
}

TEST_F(ShippedCache, IsIgnoredIfDamaged) {
    const std::string whole = readFile(files().at(0));
    writeFile(files()[0], whole.substr(0, whole.size() - 1));
    clearCompileCache();
    EXPECT_FALSE(marked(compile(kSource, users())));
    EXPECT_FALSE(ownIsEmpty());
    EXPECT_EQ(files().size(), 1u);
}

#if !defined(_WIN32)
TEST_F(ShippedCache, IsIgnoredIfOthersMayWriteToItUnlessTrusted) {
    fs::permissions(files().at(0), fs::perms::others_write, fs::perm_options::add);
    CompileOptions off = users();
    off.cacheFolder = "off";
    clearCompileCache();
    EXPECT_FALSE(marked(compile(kSource, off)));
    clearCompileCache();
    off.trustCachePath = true;
    EXPECT_TRUE(marked(compile(kSource, off)));
    off.trustCachePath = false;
    const test::ScopedEnvironment trust("KOMPUTE_CACHE_TRUST", "1");
    clearCompileCache();
    EXPECT_TRUE(marked(compile(kSource, off)));
}
#endif

TEST_F(CompileOnDisk, StoresNothingForABrokenShader) {
    EXPECT_THROW(compile("#version 450\nvoid main() { x = 1; }\n", options()), ShaderError);
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace kp::shader
