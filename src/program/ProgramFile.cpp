// SPDX-License-Identifier: Apache-2.0
#include "program/ProgramFile.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <kompute/Error.hpp>

#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "program/CheckProgram.hpp"

namespace kp::program {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the fields of program files are copied as they lie in memory");

constexpr std::array<char, 8> kMagic = {'K', 'P', 'R', 'O', 'G', 'R', 'A', 'M'};

struct Header {
    std::array<char, 8> magic = kMagic;
    uint32_t format = kFormat;
    uint32_t reserved = 0;
    uint64_t bytes = 0;
    Hash hash;
};
static_assert(sizeof(Header) == 40);

// fields(stream, object) visits the members of an object in the order of the file, for both
// directions: a stream reads or writes its arguments.

template <typename Stream>
void fields(Stream& stream, Kernel::Constant& constant) {
    stream(constant.id, constant.offset, constant.size);
}
template <typename Stream>
void fields(Stream& stream, Kernel::Binding& binding) {
    stream(binding.set, binding.binding, binding.count, binding.uniform);
}
template <typename Stream>
void fields(Stream& stream, Kernel& kernel) {
    stream(kernel.module, kernel.entryPoint, kernel.constants, kernel.constantBytes,
           kernel.bindings, kernel.pushBytes, kernel.localSize, kernel.sharedBytes,
           kernel.capabilities, kernel.subgroupSize, kernel.fullSubgroups, kernel.robustAccess);
}
template <typename Stream>
void fields(Stream& stream, Slot& slot) {
    stream(slot.kind, slot.bytes, slot.saved, slot.reads, slot.writes);
}
template <typename Stream>
void fields(Stream& stream, Bound& bound) {
    stream(bound.set, bound.binding, bound.element, bound.slot, bound.offset, bound.bytes);
}
template <typename Stream>
void fields(Stream& stream, Command::Region& region) {
    stream(region.source, region.destination, region.bytes);
}
template <typename Stream>
void fields(Stream& stream, Command& command) {
    stream(command.kind, command.kernel, command.boundFirst, command.boundCount, command.pushFirst,
           command.groups, command.source, command.destination, command.countsOffset,
           command.regions, command.pattern, command.before, command.after, command.everything);
}
template <typename Stream>
void fields(Stream& stream, ProgramTensor& tensor) {
    stream(tensor.name, tensor.type, tensor.elementSize, tensor.dtype, tensor.shape, tensor.input,
           tensor.output);
}
template <typename Stream>
void fields(Stream& stream, Variant& variant) {
    stream(variant.tensors, variant.slotOf, variant.slots, variant.bounds, variant.push,
           variant.commands);
}
template <typename Stream>
void fields(Stream& stream, Data& data) {
    stream(data.modules, data.kernels, data.contents, data.variants, data.subgroupSize, data.vendor,
           data.device);
}

/// Values that lie in the file as in memory.
template <typename T>
constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::byte>;

class Output {
public:
    template <typename... Values>
    void operator()(Values&... values) {
        (value(values), ...);
    }
    std::vector<unsigned char> take() { return std::move(mBytes); }

private:
    void bytes(const void* data, size_t count) {
        const auto* const first = static_cast<const unsigned char*>(data);
        mBytes.insert(mBytes.end(), first, first + count);
    }
    template <typename T>
    void value(T& object) {
        if constexpr (kIsPlain<T>)
            bytes(&object, sizeof object);
        else
            fields(*this, object);
    }
    template <typename T, size_t Count>
    void value(std::array<T, Count>& values) {
        for (T& each : values)
            value(each);
    }
    template <typename List>
    void list(List& values) {
        auto count = static_cast<uint64_t>(values.size());
        value(count);
        if constexpr (kIsPlain<typename List::value_type>)
            bytes(values.data(), values.size() * sizeof(typename List::value_type));
        else
            for (auto& each : values)
                value(each);
    }
    template <typename T>
    void value(std::vector<T>& values) {
        list(values);
    }
    void value(std::string& text) { list(text); }

    std::vector<unsigned char> mBytes;
};

[[noreturn]] void failDamaged(std::string_view why) {
    fail<InvalidArgument>("the program is damaged: {}", why);
}

class Input {
public:
    explicit Input(std::span<const unsigned char> data) : mRest(data) {}

    template <typename... Values>
    void operator()(Values&... values) {
        (value(values), ...);
    }
    bool atEnd() const { return mRest.empty(); }

private:
    void bytes(void* data, size_t count) {
        if (mRest.size() < count)
            failDamaged("it ends early");
        if (count != 0)
            std::memcpy(data, mRest.data(), count);
        mRest = mRest.subspan(count);
    }
    template <typename T>
    void value(T& object) {
        if constexpr (kIsPlain<T>)
            bytes(&object, sizeof object);
        else
            fields(*this, object);
    }
    void value(bool& flag) {
        uint8_t byte = 0;
        bytes(&byte, 1);
        if (byte > 1)
            failDamaged("a flag is neither 0 nor 1");
        flag = byte != 0;
    }
    template <typename T, size_t Count>
    void value(std::array<T, Count>& values) {
        for (T& each : values)
            value(each);
    }
    template <typename List>
    void list(List& values) {
        using T = typename List::value_type;
        uint64_t count = 0;
        value(count);
        if (count > mRest.size()) // each element has a byte at least
            failDamaged("a list is longer than the file");
        if constexpr (kIsPlain<T>) {
            if (count > mRest.size() / sizeof(T))
                failDamaged("a list is longer than the file");
            values.resize(static_cast<size_t>(count));
            bytes(values.data(), values.size() * sizeof(T));
        } else {
            // Grows as it is read, so that a wrong length takes no memory.
            for (uint64_t i = 0; i < count; ++i)
                value(values.emplace_back());
        }
    }
    template <typename T>
    void value(std::vector<T>& values) {
        list(values);
    }
    void value(std::string& text) { list(text); }

    std::span<const unsigned char> mRest;
};

} // namespace

std::vector<unsigned char> toFile(const Data& data) {
    Output output;
    Data copy = data; // fields() visits objects that can be changed
    output(copy);
    const std::vector<unsigned char> content = output.take();
    Header header;
    header.bytes = content.size();
    header.hash = hashBytes(content.data(), content.size());
    std::vector<unsigned char> file(sizeof header + content.size());
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, content.data(), content.size());
    return file;
}

Data fromFile(std::span<const unsigned char> file) {
    Header header;
    if (file.size() < sizeof header || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0)
        throw InvalidArgument(
            "this is not a program of Kompute's: its first bytes are not KPROGRAM");
    std::memcpy(&header, file.data(), sizeof header);
    if (header.format != kFormat)
        fail<InvalidArgument>("the program has format {}, but this version of the library reads "
                              "format {}; save it again, or use another version",
                              header.format, kFormat);
    const std::span<const unsigned char> content = file.subspan(sizeof header);
    if (header.bytes != content.size() || header.hash != hashBytes(content.data(), content.size()))
        failDamaged("its checksum does not match");
    Data data;
    Input input(content);
    input(data);
    if (!input.atEnd())
        failDamaged("it has more bytes than its fields");
    requireSound(data);
    return data;
}

} // namespace kp::program
