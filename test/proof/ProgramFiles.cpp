// SPDX-License-Identifier: Apache-2.0
//
// Damaged files of programs are refused, or are programs that can be recorded.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <kompute/Kompute.hpp>
#include <kompute/Primitives.hpp>
#include <kompute/program/Program.hpp>

#include "base/Hash.hpp"
#include "proof/Settings.hpp"
#include "proof/Watch.hpp"

namespace kp::proof {
namespace {

using File = std::vector<unsigned char>;

constexpr size_t kHeaderBytes = 40;        ///< of a file
constexpr uint64_t kMostBytes = 1 << 20;   ///< of a tensor that is made
constexpr uint64_t kFilesOfAManager = 500; ///< pipelines stay in its cache

/// Makes the checksum of a changed file right.
void seal(File& file) {
    const uint64_t bytes = file.size() - kHeaderBytes;
    const Hash hash = hashBytes(file.data() + kHeaderBytes, bytes);
    std::memcpy(file.data() + 16, &bytes, sizeof bytes);
    std::memcpy(file.data() + 24, &hash, sizeof hash);
}

std::vector<File> makeFiles(Manager& manager) {
    using Type = Memory::DataTypes;
    const auto tensor = [&](uint64_t count, Type type) { return manager.tensor(count, 4, type); };
    std::vector<File> files;
    const auto add = [&](const std::vector<std::shared_ptr<OpBase>>& operations,
                         const NamedTensors& inputs, const NamedTensors& outputs) {
        const auto sequence = manager.sequence();
        for (const auto& operation : operations)
            sequence->record(operation);
        files.push_back(Program::of(*sequence, inputs, outputs).content());
    };
    const auto keys = tensor(300, Type::eUnsignedInt);
    add({std::make_shared<OpSort>(keys)}, {{"keys", keys}}, {{"keys", keys}});
    const auto in = tensor(64, Type::eFloat);
    const auto out = tensor(64, Type::eFloat);
    const auto state = manager.tensor(std::vector<float>(64, 1));
    add({std::make_shared<OpMult>(std::vector<std::shared_ptr<Memory>>{in, state, out},
                                  manager.algorithm()),
         std::make_shared<OpCopy>(std::vector<std::shared_ptr<Memory>>{out, state}),
         std::make_shared<OpFFT>(out)},
        {{"in", in}}, {{"out", out}});
    const auto count = tensor(1, Type::eUnsignedInt);
    const auto found = tensor(300, Type::eUnsignedInt);
    add({std::make_shared<OpSelect>(keys, Predicate("x > 5u"), found, count)}, {{"keys", keys}},
        {{"found", found}, {"count", count}});
    return files;
}

void mutate(File& file, std::mt19937& random) {
    constexpr uint64_t kNumbers[] = {0,          1,          2,
                                     3,          4,          255,
                                     256,        65535,      0x7fffffff,
                                     0x80000000, 0xffffffff, uint64_t{1} << 32,
                                     INT64_MAX,  UINT64_MAX, UINT64_MAX - 3};
    const auto place = [&](size_t bytes) {
        return kHeaderBytes + random() % (file.size() - kHeaderBytes - bytes);
    };
    switch (random() % 6) {
    case 0:
        file[place(1)] ^= static_cast<unsigned char>(1u << random() % 8);
        break;
    case 1: {
        const uint64_t number = kNumbers[random() % std::size(kNumbers)];
        const size_t bytes = size_t{1} << random() % 4;
        std::memcpy(file.data() + place(bytes), &number, bytes);
        break;
    }
    case 2: { // a little more or less
        uint32_t word = 0;
        const size_t at = place(sizeof word) / 4 * 4;
        std::memcpy(&word, file.data() + at, sizeof word);
        word += random() % 9 - 4;
        std::memcpy(file.data() + at, &word, sizeof word);
        break;
    }
    case 3:
        file.resize(place(1));
        break;
    case 4: {
        const size_t from = place(16);
        file.erase(file.begin() + static_cast<ptrdiff_t>(from),
                   file.begin() + static_cast<ptrdiff_t>(from + 1 + random() % 16));
        break;
    }
    default: { // a part of it elsewhere
        const size_t bytes = 1 + random() % 16;
        const size_t from = place(bytes);
        const size_t to = place(bytes);
        std::memmove(file.data() + to, file.data() + from, bytes);
    }
    }
    // Further changes need some bytes.
    if (file.size() < kHeaderBytes + 64)
        file.resize(kHeaderBytes + 64);
}

/// Records a program with tensors of its sizes, and never runs it.
void record(Manager& manager, const Program& program) {
    for (size_t variant = 0; variant < program.variants(); ++variant) {
        NamedTensors tensors;
        for (const ProgramTensor& tensor : program.tensors(variant)) {
            if (tensor.size() * tensor.elementSize > kMostBytes)
                return;
            tensors[tensor.name] = manager.tensor(tensor.size(), tensor.elementSize, tensor.type);
        }
        manager.sequence()->record(program.operation(tensors))->end();
    }
}

} // namespace

int proveFiles(const Settings& settings) {
    std::unique_ptr<Manager> manager;
    std::vector<File> files;
    uint64_t accepted = 0;
    const uint64_t first = settings.only.value_or(0);
    const uint64_t end = settings.only ? first + 1 : settings.count;
    for (uint64_t number = first; number < end; ++number) {
        Watch::begin("files", settings, number);
        if (!manager || number % kFilesOfAManager == 0) {
            manager = std::make_unique<Manager>();
            files = makeFiles(*manager);
        }
        std::seed_seq sequence{settings.seed, settings.seed >> 32, number, number >> 32};
        std::mt19937 random(sequence);
        const File& good = files[random() % files.size()];
        File file = good;
        for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
            mutate(file, random);
        const bool sealed = random() % 50 != 0 && settings.plant.empty();
        if (sealed)
            seal(file);
        try {
            const Program program = Program::parseUntrusted(*manager, file.data(), file.size());
            if (!sealed && file != good)
                throw std::runtime_error("a file with a wrong checksum was accepted: --only " +
                                         std::to_string(number));
            ++accepted;
            record(*manager, program);
        } catch (const Error&) { // refused
            if (!settings.plant.empty())
                throw std::runtime_error("a damaged file was refused, as it has to be");
        }
    }
    std::printf("files: %llu damaged programs, %llu of them harmless\n",
                static_cast<unsigned long long>(end - first),
                static_cast<unsigned long long>(accepted));
    if (!settings.only && accepted == 0)
        throw std::runtime_error("no damaged program was harmless: the changes are too large");
    return 0;
}

} // namespace kp::proof
