// SPDX-License-Identifier: Apache-2.0
//
// What a program cannot be made of, read from or run with.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <kompute/operations/OpRepeat.hpp>

#include "base/Hash.hpp"
#include "device/program/ProgramSupport.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

using Floats = std::vector<float>;

class ProgramErrors : public ProgramTest {
protected:
    std::shared_ptr<kp::TensorT<float>> x = tensorOf<float>({1, 2});
    std::shared_ptr<kp::TensorT<float>> y = tensorOf<float>({0, 0});

    std::shared_ptr<kp::Sequence> copying() {
        auto sequence = manager.sequence();
        sequence->record<kp::OpCopy>({x, y});
        return sequence;
    }
    kp::Program copy() { return kp::Program::of(*copying(), {{"x", x}}, {{"y", y}}); }
    kp::Program parsed(const std::vector<unsigned char>& file) {
        return kp::Program::parse(manager, file.data(), file.size());
    }
};

constexpr size_t kHeader = 40;

/// Makes the checksum of a changed file right.
void seal(std::vector<unsigned char>& file) {
    const kp::Hash hash = kp::hashBytes(file.data() + kHeader, file.size() - kHeader);
    std::memcpy(file.data() + 24, &hash, sizeof hash);
}

/// An operation of the program's own, which records nothing.
class OwnOperation : public kp::OpBase {
public:
    kp::Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer&) override {}
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}
};

/// Records another operation without its accesses.
class HidingOperation final : public kp::OpBase {
public:
    explicit HidingOperation(std::shared_ptr<kp::OpBase> part) : mPart(std::move(part)) {
        makeSavable();
    }
    kp::Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer& commandBuffer) override { mPart->record(commandBuffer); }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<kp::OpBase> mPart;
};

TEST_F(ProgramErrors, NamesOperationsThatHideTheirMemory) {
    auto sequence = copying();
    sequence->record(std::make_shared<HidingOperation>(
        std::make_shared<kp::OpFill>(kp::MemoryObjects({manager.tensorT<float>(4)}), 1)));
    EXPECT_ERROR(kp::Unsupported, "HidingOperation cannot be saved",
                 kp::Program::of(*sequence, {{"x", x}}, {{"y", y}}));
}

TEST_F(ProgramErrors, NamesTheFileThatCannotBeLoaded) {
    const TemporaryFolder folder;
    const std::string path = folder.path("damaged.kp");
    writeFile(path, "KPROGRAM and more");
    EXPECT_ERROR(kp::InvalidArgument, "damaged.kp: ", kp::Program::load(manager, path));
    EXPECT_ERROR(kp::InvalidArgument, "damaged.kp: ", kp::Program::loadUntrusted(manager, path));
}

TEST_F(ProgramErrors, NamesWhatCannotBeSaved) {
    EXPECT_ERROR(kp::InvalidArgument, "no operations",
                 kp::Program::of(*manager.sequence(), {}, {}));
    auto syncs = manager.sequence();
    syncs->record<kp::OpSyncDevice>({x});
    EXPECT_ERROR(kp::InvalidArgument, "no operations", kp::Program::of(*syncs, {{"x", x}}, {}));
    auto own = copying();
    own->record(std::make_shared<OwnOperation>());
    EXPECT_ERROR(kp::Unsupported, "OwnOperation", kp::Program::of(*own, {{"x", x}}, {{"y", y}}));
    auto image = manager.image(Floats(4), 2, 2, 1);
    auto other = manager.image(Floats(4), 2, 2, 1);
    auto images = manager.sequence();
    images->record<kp::OpCopy>({image, other});
    EXPECT_ERROR(kp::Unsupported, "images", kp::Program::of(*images, {}, {}));
}

TEST_F(ProgramErrors, RefusesCopiesOfTheHostBetweenOperations) {
    auto late = copying();
    late->record<kp::OpSyncDevice>({x});
    EXPECT_ERROR(kp::Unsupported, "OpSyncDevice", kp::Program::of(*late, {{"x", x}}, {{"y", y}}));
    auto early = manager.sequence();
    early->record<kp::OpSyncDevice>({x})
        ->record<kp::OpCopy>({x, y})
        ->record<kp::OpSyncLocal>({y})
        ->record<kp::OpAlgoDispatch>(manager.algorithm({y}, incrementFloats()));
    EXPECT_ERROR(kp::Unsupported, "before an operation that writes it",
                 kp::Program::of(*early, {{"x", x}}, {{"y", y}}));
}

TEST_F(ProgramErrors, NamesTensorsThatAreGivenWrongly) {
    auto z = tensorOf<float>({0, 0});
    auto sequence = copying();
    EXPECT_ERROR(kp::InvalidArgument, "no operation of the program uses the tensor 'z'",
                 kp::Program::of(*sequence, {{"x", x}, {"z", z}}, {{"y", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "write the tensor 'y'",
                 kp::Program::of(*sequence, {{"x", x}, {"y", y}}, {}));
    EXPECT_ERROR(kp::InvalidArgument, "read the tensor 'x' before",
                 kp::Program::of(*sequence, {}, {{"x", x}, {"y", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "two tensors of a program have the name 'x'",
                 kp::Program::of(*sequence, {{"x", x}}, {{"x", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "shares memory",
                 kp::Program::of(*sequence, {{"x", x}, {"x2", x}}, {{"y", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "'x' of a program is null",
                 kp::Program::of(*sequence, {{"x", nullptr}}, {}));
    kp::ManagerOptions options;
    options.shareDevice = false;
    kp::Manager second(options);
    EXPECT_ERROR(kp::InvalidArgument, "device",
                 kp::Program::of(*sequence, {{"x", second.tensor({1, 2})}}, {{"y", y}}));
}

TEST_F(ProgramErrors, NamesWhatARunLacks) {
    const kp::Program program = copy();
    EXPECT_ERROR(kp::InvalidArgument, "takes 'x', 'y', but 'y' was not given",
                 program.run({{"x", x}}));
    EXPECT_ERROR(kp::InvalidArgument, "no tensor 'z'", program.run({{"x", x}, {"y", y}, {"z", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "share memory", program.run({{"x", x}, {"y", x}}));
    EXPECT_ERROR(kp::InvalidArgument, "is null", program.run({{"x", x}, {"y", nullptr}}));
    auto integers = tensorOf<int32_t>({1, 2});
    EXPECT_ERROR(kp::InvalidArgument, "'x' has elements of eFloat",
                 program.run({{"x", integers}, {"y", y}}));
    EXPECT_ERROR(kp::InvalidArgument, "no variant 1", program.tensors(1));
    EXPECT_ERROR(kp::InvalidArgument, "nowhere", program.save("/nowhere/at/all.kp"));
    EXPECT_ERROR(kp::InvalidArgument, "same sizes", kp::Program::join({program, program}));
    EXPECT_ERROR(kp::InvalidArgument, "no programs", kp::Program::join({}));
}

TEST_F(ProgramErrors, RefusesDamagedFiles) {
    const std::vector<unsigned char> good = copy().content();
    EXPECT_ERROR(kp::InvalidArgument, "not a program", parsed({1, 2, 3}));
    EXPECT_ERROR(kp::InvalidArgument, "null pointer", kp::Program::parse(manager, nullptr, 1));
    std::vector<unsigned char> later = good;
    later[8] = 99;
    EXPECT_ERROR(kp::InvalidArgument, "format 99", parsed(later));
    for (size_t at = 16; at < good.size(); ++at) {
        std::vector<unsigned char> file = good;
        file[at] ^= 0x10;
        EXPECT_ERROR(kp::InvalidArgument, "damaged", parsed(file));
        file.resize(at);
        EXPECT_ERROR(kp::InvalidArgument, "", parsed(file));
    }
    EXPECT_NO_THROW(parsed(good));
}

TEST_F(ProgramErrors, RefusesFilesThatReachBeyondTheirMemory) {
    const std::vector<unsigned char> good = copy().content();
    size_t refused = 0;
    // Each 8 bytes become a number that is too large, with a checksum that is right.
    for (size_t at = kHeader; at + 8 <= good.size(); ++at) {
        std::vector<unsigned char> file = good;
        const uint64_t large = UINT64_MAX - 7;
        std::memcpy(file.data() + at, &large, sizeof large);
        seal(file);
        try {
            static_cast<void>(kp::Program::parseUntrusted(manager, file.data(), file.size()));
        } catch (const kp::Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, (good.size() - kHeader) / 2);
}

TEST_F(ProgramErrors, NamesKernelsThatAreTooNewForTheDevice) {
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({x}, incrementFloats()));
    std::vector<unsigned char> file = kp::Program::of(*sequence, {{"x", x}}, {{"x", x}}).content();
    const unsigned char magic[] = {0x03, 0x02, 0x23, 0x07};
    const auto module = std::search(file.begin(), file.end(), std::begin(magic), std::end(magic));
    ASSERT_NE(module, file.end());
    module[5] = 9; // the minor version
    seal(file);
    EXPECT_ERROR(kp::ShaderError, "SPIR-V 1.9", parsed(file));
}

TEST_F(ProgramErrors, MayBeRepeatedByTheDevice) {
    auto counter = tensorOf<float>({0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({counter}, incrementFloats()));
    const kp::Program program =
        reloaded(kp::Program::of(*sequence, {{"n", counter}}, {{"n", counter}}));
    auto flag = manager.tensorT<uint32_t>({0});
    manager.sequence()
        ->record<kp::OpSyncDevice>({counter, flag})
        ->record(std::make_shared<kp::OpRepeat>(
            std::vector<std::shared_ptr<kp::OpBase>>{program.operation({{"n", counter}})}, flag, 5))
        ->record<kp::OpSyncLocal>({counter})
        ->eval();
    EXPECT_EQ(counter->vector(), Floats{5});
}

} // namespace
} // namespace kp::test
