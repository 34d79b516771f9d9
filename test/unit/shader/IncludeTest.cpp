// SPDX-License-Identifier: Apache-2.0
#include <kompute/Shader.hpp>

#include <map>
#include <stdexcept>

#include "ShaderTestTools.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {
namespace {

using test::contains;
using test::shaderErrorOf;
using test::TemporaryFolder;

const std::string kHead = "#version 450\nlayout(binding = 0) buffer Data { float data[]; };\n";

/// Declares a local size, which shows which of several files was included.
std::string localSize(int size) {
    return "layout(local_size_x = " + std::to_string(size) + ") in;\n";
}

uint32_t localSizeOf(const std::vector<uint32_t>& spirv) {
    return shader::reflect(spirv).localSize[0];
}

class MapIncluder : public ShaderIncluder {
public:
    std::map<std::string, std::string> files;
    std::vector<std::string> asked;

    bool include(const std::string& name, const std::string& includer, std::string& resolved,
                 std::string& contents) override {
        asked.push_back(includer + " -> " + name);
        const auto found = files.find(name);
        if (found == files.end())
            return false;
        resolved = "archive/" + name;
        contents = found->second;
        return true;
    }
};

class ThrowingIncluder : public ShaderIncluder {
public:
    bool include(const std::string&, const std::string&, std::string&, std::string&) override {
        throw std::logic_error("planted");
    }
};

TEST(Include, SearchesTheIncludersFolderThenTheIncludeFolders) {
    const TemporaryFolder folder;
    folder.write("near/size.glsl", localSize(2));
    folder.write("first/size.glsl", localSize(3));
    folder.write("second/size.glsl", localSize(4));
    folder.write("second/other.glsl", localSize(5));
    CompileOptions options;
    options.fileName = folder.path("near/shader.comp");
    options.includeFolders = {folder.path("first"), folder.path("second")};
    const std::string tail = "void main() { data[0] = 1.0; }\n";
    EXPECT_EQ(localSizeOf(compile(kHead + "#include \"size.glsl\"\n" + tail, options)), 2u);
    EXPECT_EQ(localSizeOf(compile(kHead + "#include <size.glsl>\n" + tail, options)), 3u);
    EXPECT_EQ(localSizeOf(compile(kHead + "#include \"other.glsl\"\n" + tail, options)), 5u);
    EXPECT_EQ(
        localSizeOf(compile(kHead + "#include \"" + folder.path("second/size.glsl") + "\"\n" + tail,
                            options)),
        4u);
}

TEST(Include, LocatesErrorsInNestedFiles) {
    const TemporaryFolder folder;
    folder.write("lib/outer.glsl",
                 "#include \"deep/inner.glsl\"\nfloat outer() { return inner(); }");
    const auto inner =
        folder.write("lib/deep/inner.glsl", "float inner()\n{\n    return wrong;\n}\n");
    CompileOptions options;
    options.fileName = folder.path("shader.comp");
    const std::string source = kHead + "#include \"lib/outer.glsl\"\n"
                                       "void main() { data[0] = outer(); }\n";
    const auto error = shaderErrorOf([&] { compile(source, options); });
    EXPECT_EQ(error.file(), inner);
    EXPECT_EQ(error.line(), 3u);
    EXPECT_EQ(error.column(), 12u);
    EXPECT_TRUE(contains(error.what(), " 3 |     return wrong;"));

    folder.write("lib/deep/inner.glsl", "float inner() { return 1.0; }\n");
    EXPECT_NO_THROW(compile(source, options));
    const auto after = shaderErrorOf([&] { compile(source + "float tail = missing;\n", options); });
    EXPECT_EQ(after.file(), options.fileName);
    EXPECT_EQ(after.line(), 5u);
}

TEST(Include, RecompilesIfAFileChangesOrIsShadowed) {
    const TemporaryFolder folder;
    folder.write("second/size.glsl", localSize(6));
    CompileOptions options;
    options.includeFolders = {folder.path("first"), folder.path("second")};
    const std::string source = kHead + "#include <size.glsl>\nvoid main() { data[0] = 1.0; }\n";
    EXPECT_EQ(localSizeOf(compile(source, options)), 6u);
    folder.write("second/size.glsl", localSize(7));
    EXPECT_EQ(localSizeOf(compile(source, options)), 7u);
    folder.write("first/size.glsl", localSize(8));
    EXPECT_EQ(localSizeOf(compile(source, options)), 8u);
    std::filesystem::remove(folder.path("first/size.glsl"));
    EXPECT_EQ(localSizeOf(compile(source, options)), 7u);
    std::filesystem::remove(folder.path("second/size.glsl"));
    EXPECT_THROW(compile(source, options), ShaderError);
}

TEST(Include, ReadsNothingOutsideTheFoldersUnlessAllowed) {
    const TemporaryFolder folder;
    const std::string secret = folder.write("secret.glsl", localSize(9));
    folder.write("shaders/near.glsl", localSize(2));
    folder.write("shaders/deep/shader.glsl", "#include \"../near.glsl\"\n");
    folder.write("library/part.glsl", "#include \"../secret.glsl\"\n");
    CompileOptions options;
    options.fileName = folder.path("shaders/shader.comp");
    options.includeFolders = {folder.path("library")};
    const auto sizeWith = [&](const std::string& include) {
        return localSizeOf(
            compile(kHead + "#include " + include + "\nvoid main() { data[0] = 1.0; }\n", options));
    };
    const std::string outside[] = {"\"" + secret + "\"", "\"../secret.glsl\"", "<../secret.glsl>",
                                   "\"deep/../../secret.glsl\"", "<part.glsl>"};
    for (const std::string& include : outside) {
        const auto error = shaderErrorOf([&] { sizeWith(include); });
        EXPECT_TRUE(contains(error.what(), "outside the include folders")) << error.what();
        EXPECT_FALSE(contains(error.what(), "local_size_x")) << "it shows the file";
    }
    EXPECT_EQ(sizeWith("\"deep/shader.glsl\""), 2u) << "this stays in the folder";
    EXPECT_EQ(sizeWith("\"" + folder.path("shaders/near.glsl") + "\""), 2u);

    options.includes = IncludePolicy::eAnywhere;
    for (const std::string& include : outside)
        EXPECT_EQ(sizeWith(include), 9u);

    options.includes = IncludePolicy::eNone;
    EXPECT_TRUE(contains(shaderErrorOf([&] { sizeWith("\"near.glsl\""); }).what(), "eNone"));
    EXPECT_EQ(sizeWith("<kompute/index.glsl>"), 1u);
    MapIncluder includer;
    includer.files["near.glsl"] = localSize(3);
    options.includer = &includer;
    EXPECT_EQ(sizeWith("\"near.glsl\""), 3u);
}

#if !defined(_WIN32)
TEST(Include, JudgesWhereLinksLead) {
    const TemporaryFolder folder;
    folder.write("elsewhere/secret.glsl", localSize(9));
    folder.write("shaders/near.glsl", localSize(2));
    namespace fs = std::filesystem;
    fs::create_symlink(folder.path("elsewhere/secret.glsl"), folder.path("shaders/link.glsl"));
    fs::create_directory_symlink(folder.path("elsewhere"), folder.path("shaders/linked"));
    fs::create_symlink("near.glsl", folder.path("shaders/inside.glsl"));
    fs::create_directory_symlink(folder.path("shaders"), folder.path("alias"));
    fs::create_symlink("loop.glsl", folder.path("shaders/loop.glsl"));
    CompileOptions options;
    options.fileName = folder.path("shaders/shader.comp");
    const auto sizeWith = [&](const std::string& include) {
        return localSizeOf(
            compile(kHead + "#include " + include + "\nvoid main() { data[0] = 1.0; }\n", options));
    };
    for (const char* include : {"\"link.glsl\"", "\"linked/secret.glsl\"", "\"loop.glsl\""}) {
        const auto error = shaderErrorOf([&] { sizeWith(include); });
        EXPECT_TRUE(contains(error.what(), "a link that leads out of them")) << error.what();
        EXPECT_FALSE(contains(error.what(), "local_size_x")) << "it shows the file";
    }
    EXPECT_EQ(sizeWith("\"inside.glsl\""), 2u);
    options.includes = IncludePolicy::eAnywhere;
    EXPECT_EQ(sizeWith("\"link.glsl\""), 9u);
    options.includes = IncludePolicy::eFolders;

    // A link that is named as a folder leads where its owner wants.
    options.includeFolders = {folder.path("alias"), folder.path("shaders/linked")};
    EXPECT_EQ(sizeWith("<near.glsl>"), 2u);
    EXPECT_EQ(sizeWith("<secret.glsl>"), 9u);

    // A file that becomes a link is not found in the caches.
    EXPECT_EQ(sizeWith("\"near.glsl\""), 2u);
    options.includeFolders = {};
    fs::remove(folder.path("shaders/near.glsl"));
    fs::create_symlink(folder.path("elsewhere/secret.glsl"), folder.path("shaders/near.glsl"));
    EXPECT_THROW(sizeWith("\"near.glsl\""), ShaderError);
}
#endif

#if defined(__linux__)
TEST(Include, FindsFilesWhoseNamesAreNotUtf8) {
    const TemporaryFolder folder;
    folder.write("names\xe9/size.glsl", localSize(5));
    const std::string source = folder.write(
        "names\xe9/\xff.comp", kHead + "#include \"size.glsl\"\nvoid main() { data[0] = 1.0; }\n");
    CompileOptions options;
    options.cacheFolder = folder.path("\xfe");
    EXPECT_EQ(localSizeOf(compileFile(source, options)), 5u);
    options.isolate = true;
    options.defines = {{"OTHER", "1"}};
    EXPECT_EQ(localSizeOf(compileFile(source, options)), 5u);
}
#endif

TEST(Include, ListsThePathsThatItSearched) {
    const TemporaryFolder folder;
    CompileOptions options;
    options.fileName = folder.path("shader.comp");
    options.includeFolders = {folder.path("folder")};
    const auto error = shaderErrorOf(
        [&] { compile(kHead + "#include \"absent.glsl\"\nvoid main() {}\n", options); });
    EXPECT_EQ(error.line(), 3u);
    EXPECT_TRUE(contains(error.what(), folder.path("absent.glsl")));
    EXPECT_TRUE(contains(error.what(), folder.path("folder/absent.glsl")));
}

TEST(Include, StopsAtCyclesButAllowsGuards) {
    const TemporaryFolder folder;
    folder.write("a.glsl", "#include \"b.glsl\"\n");
    folder.write("b.glsl", "#include \"a.glsl\"\n");
    folder.write("guarded.glsl", "#ifndef GUARD\n#define GUARD\n#include \"guarded.glsl\"\n" +
                                     localSize(9) + "#endif\n");
    CompileOptions options;
    options.fileName = folder.path("shader.comp");
    const std::string tail = "void main() { data[0] = 1.0; }\n";
    const auto error =
        shaderErrorOf([&] { compile(kHead + "#include \"a.glsl\"\n" + tail, options); });
    EXPECT_TRUE(contains(error.what(), "guard"));
    EXPECT_EQ(localSizeOf(compile(kHead + "#include \"guarded.glsl\"\n" + tail, options)), 9u);
}

TEST(Include, AsksTheCallbackFirst) {
    const TemporaryFolder folder;
    folder.write("size.glsl", localSize(2));
    folder.write("disk.glsl", "#define ON_DISK 1\n");
    MapIncluder includer;
    includer.files["size.glsl"] = "#include \"nested.glsl\"\n#include \"disk.glsl\"\n";
    includer.files["nested.glsl"] = localSize(10);
    CompileOptions options;
    options.fileName = folder.path("shader.comp");
    options.includer = &includer;
    options.includeFolders = {folder.path("")};
    const std::string source =
        kHead + "#include \"size.glsl\"\nvoid main() { data[0] = ON_DISK; }\n";
    EXPECT_EQ(localSizeOf(compile(source, options)), 10u);
    const std::vector<std::string> expected = {options.fileName + " -> size.glsl",
                                               "archive/size.glsl -> nested.glsl",
                                               "archive/size.glsl -> disk.glsl"};
    EXPECT_EQ(includer.asked, expected);

    includer.files["nested.glsl"] = localSize(11);
    EXPECT_EQ(localSizeOf(compile(source, options)), 11u);

    includer.files["nested.glsl"] = "\nbroken";
    const auto error = shaderErrorOf([&] { compile(source, options); });
    EXPECT_TRUE(contains(error.what(), "archive/"));
}

TEST(Include, PropagatesExceptionsOfTheCallback) {
    ThrowingIncluder includer;
    CompileOptions options;
    options.includer = &includer;
    EXPECT_THROW(compile(kHead + "#include \"any.glsl\"\nvoid main() {}\n", options),
                 std::logic_error);
    options.includer = nullptr;
    EXPECT_NO_THROW(compile(kHead + "void main() { data[0] = 1.0; }\n", options));
}

TEST(Include, AcceptsEmptyFilesAndByteOrderMarks) {
    const TemporaryFolder folder;
    folder.write("empty.glsl", "");
    folder.write("mark.glsl", "\xEF\xBB\xBF" + localSize(12));
    CompileOptions options;
    options.fileName = folder.path("shader.comp");
    EXPECT_EQ(localSizeOf(compile(kHead + "#include \"empty.glsl\"\n#include \"mark.glsl\"\n"
                                          "void main() { data[0] = 1.0; }\n",
                                  options)),
              12u);
}

TEST(Include, WorksInHlsl) {
    const TemporaryFolder folder;
    folder.write("value.hlsli", "static const float kValue = 3;\n");
    const auto file = folder.write("fill.hlsl", "#include \"value.hlsli\"\n"
                                                "RWStructuredBuffer<float> a : register(u0);\n"
                                                "[numthreads(13, 1, 1)]\n"
                                                "void main() { a[0] = kValue; }\n");
    EXPECT_EQ(localSizeOf(compileFile(file)), 13u);
}

} // namespace
} // namespace kp
