// SPDX-License-Identifier: Apache-2.0
#include "RandomKernels.hpp"

#include <algorithm>
#include <string>

#include "device/TestSupport.hpp"

namespace kp::proof {
namespace {

using Memory = std::vector<std::vector<uint32_t>*>;
using Push = RandomKernel::Push;

const std::string kPush = "layout(push_constant) uniform P { uint x; uint y; uint z; };\n";

std::string buffers(std::initializer_list<const char*> qualifiers) {
    std::string text = kPush;
    const char* names[] = {"a", "b", "c"};
    int binding = 0;
    for (const char* qualifier : qualifiers) {
        text += test::buffer(binding, qualifier, "uint", names[binding]);
        ++binding;
    }
    return text;
}

std::vector<uint32_t> oneByOne(const std::string& declarations, const std::string& body) {
    return test::spirv(test::shader(declarations, body));
}

std::vector<uint32_t> oneGroup(const std::string& declarations, const std::string& body) {
    return test::spirv("#version 450\nlayout(local_size_x = 128) in;\n" + declarations +
                       "void main() { uint i = gl_LocalInvocationID.x;\n" + body + "}\n");
}

constexpr Binding kRead{false, false, false};
constexpr Binding kWrite{false, true, false};
constexpr Binding kAliasWrite{false, true, true};
constexpr Binding kImageRead{true, false, false};
constexpr Binding kImageWrite{true, true, false};

std::vector<RandomKernel> makeKernels() {
    using Groups = RandomKernel::Groups;
    const std::string picture = ", r32ui) uniform ";
    std::vector<RandomKernel> kernels;

    kernels.push_back({"permute",
                       {kRead, kRead, kWrite},
                       Groups::eAll,
                       oneByOne(buffers({"readonly", "readonly", "writeonly"}),
                                "c[(i * (x | 1u) + y) & 127u] = a[i] * 3u + b[(i * 37u + z) & "
                                "127u] + y;"),
                       [](const Memory& m, const Push& p, uint32_t) {
                           for (uint32_t i = 0; i < kElements; ++i)
                               (*m[2])[(i * (p[0] | 1u) + p[1]) & 127u] =
                                   (*m[0])[i] * 3 + (*m[1])[(i * 37 + p[2]) & 127u] + p[1];
                       }});
    kernels.push_back({"update",
                       {kWrite},
                       Groups::eAny,
                       oneByOne(buffers({""}), "a[i] = a[i] * 5u + i + x;"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[0])[i] = (*m[0])[i] * 5 + i + p[0];
                       }});
    kernels.push_back({"write a part",
                       {kWrite},
                       Groups::eAny,
                       oneByOne(buffers({""}), "a[(i + x) & 127u] = i ^ y;"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[0])[(i + p[0]) & 127u] = i ^ p[1];
                       }});
    kernels.push_back({"exchange",
                       {kWrite, kWrite},
                       Groups::eAny,
                       oneByOne(buffers({"", ""}), "uint t = a[i]; a[i] = b[i] + i; b[i] = t ^ x;"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i) {
                               const uint32_t t = (*m[0])[i];
                               (*m[0])[i] = (*m[1])[i] + i;
                               (*m[1])[i] = t ^ p[0];
                           }
                       }});
    kernels.push_back({"gather",
                       {kRead, kRead, kWrite},
                       Groups::eAny,
                       oneByOne(buffers({"", "", ""}), "c[i] = a[(b[i] + x) & 127u];"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[2])[i] = (*m[0])[((*m[1])[i] + p[0]) & 127u];
                       }});
    kernels.push_back(
        {"count",
         {kRead, kWrite},
         Groups::eAny,
         oneByOne(buffers({"readonly", ""}),
                  "atomicAdd(b[a[i] & 31u], x); atomicMax(b[32u + (a[i] & 31u)], i);"),
         [](const Memory& m, const Push& p, uint32_t groups) {
             for (uint32_t i = 0; i < groups; ++i) {
                 const uint32_t bin = (*m[0])[i] & 31u;
                 (*m[1])[bin] += p[0];
                 (*m[1])[32 + bin] = std::max((*m[1])[32 + bin], i);
             }
         }});
    kernels.push_back({"through two bindings",
                       {kRead, kRead, kAliasWrite},
                       Groups::eAny,
                       oneByOne(buffers({"readonly", "readonly", "writeonly"}),
                                "uint t = a[i] * 7u; c[i] = t + b[i] + x;"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[2])[i] = (*m[0])[i] * 7 + (*m[1])[i] + p[0];
                       }});
    kernels.push_back({"prefix sums",
                       {kWrite},
                       Groups::eOne,
                       oneGroup(buffers({""}) + "shared uint s[128];\n",
                                "s[i] = a[i] + x; barrier();\n"
                                "for (uint d = 1u; d < 128u; d *= 2u) {\n"
                                "    uint t = i >= d ? s[i - d] : 0u; barrier();\n"
                                "    s[i] += t; barrier(); }\n"
                                "a[i] = s[i];"),
                       [](const Memory& m, const Push& p, uint32_t) {
                           uint32_t sum = 0;
                           for (uint32_t& value : *m[0])
                               value = sum += value + p[0];
                       }});
    kernels.push_back({"update an image",
                       {kImageWrite},
                       Groups::eAny,
                       oneByOne(kPush + "layout(binding = 0" + picture + "uimage2D a;\n",
                                "ivec2 at = ivec2(int(i & 15u), int(i >> 4));\n"
                                "imageStore(a, at, imageLoad(a, at) * 3u + uvec4(i + x));"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[0])[i] = (*m[0])[i] * 3 + i + p[0];
                       }});
    kernels.push_back({"read an image",
                       {kImageRead, kWrite},
                       Groups::eAny,
                       oneByOne(kPush + "layout(binding = 0" + picture + "readonly uimage2D a;\n" +
                                    test::buffer(1, "", "uint", "b"),
                                "uint k = (i + y) & 127u;\n"
                                "b[i] = imageLoad(a, ivec2(int(k & 15u), int(k >> 4))).x ^ x;"),
                       [](const Memory& m, const Push& p, uint32_t groups) {
                           for (uint32_t i = 0; i < groups; ++i)
                               (*m[1])[i] = (*m[0])[(i + p[1]) & 127u] ^ p[0];
                       }});
    kernels.push_back({"write an image",
                       {kRead, kImageWrite},
                       Groups::eAll,
                       oneByOne(kPush + test::buffer(0, "readonly", "uint", "a") +
                                    "layout(binding = 1" + picture + "writeonly uimage2D b;\n",
                                "imageStore(b, ivec2(int(i & 15u), int(i >> 4)), "
                                "uvec4(a[(i * (x | 1u)) & 127u] + y));"),
                       [](const Memory& m, const Push& p, uint32_t) {
                           for (uint32_t i = 0; i < kElements; ++i)
                               (*m[1])[i] = (*m[0])[(i * (p[0] | 1u)) & 127u] + p[1];
                       }});
    return kernels;
}

} // namespace

const std::vector<RandomKernel>& randomKernels() {
    static const std::vector<RandomKernel> kernels = makeKernels();
    return kernels;
}

} // namespace kp::proof
