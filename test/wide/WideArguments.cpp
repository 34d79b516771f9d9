// SPDX-License-Identifier: Apache-2.0
#include "wide/WideArguments.hpp"

#include <bit>
#include <cmath>
#include <set>

namespace kp::test {
namespace {

/// Powers of two and their neighbours, with both signs.
std::set<uint64_t> specialIntegers(uint32_t bits) {
    const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    std::set<uint64_t> found;
    for (uint32_t i = 0; i < bits; ++i)
        for (const uint64_t offset : {~uint64_t{0}, uint64_t{0}, uint64_t{1}}) {
            const uint64_t value = (uint64_t{1} << i) + offset;
            found.insert({value & all, (0 - value) & all});
        }
    return found;
}

/// Floats of a type by the bits of its digits and its exponent.
std::set<uint64_t> specialFloats(uint32_t digits, uint32_t exponentBits,
                                 const std::vector<uint32_t>& exponents) {
    const uint64_t unit = uint64_t{1} << digits;
    const uint64_t sign = unit << exponentBits;
    std::set<uint64_t> found;
    const auto add = [&](uint64_t bits) { found.insert({bits, bits | sign}); };
    const uint64_t top = (uint64_t{1} << exponentBits) - 1;
    for (const uint64_t end : {uint64_t{0}, uint64_t{1}, top - 1, top})
        for (const uint64_t rest : {uint64_t{0}, uint64_t{1}, unit / 2, unit - 1})
            add(end * unit + rest);
    for (const uint32_t exponent : exponents)
        for (const uint64_t rest : {uint64_t{0}, uint64_t{1}, unit / 2, unit / 2 + 1, unit - 1})
            add(exponent * unit + rest);
    return found;
}

std::vector<uint64_t> specialsOf(char type, bool few) {
    std::set<uint64_t> found;
    if (type == 'd') {
        // Numbers of 52 to 54 digits and of other types' ends, halfway cases, sums that carry.
        found = few ? specialFloats(52, 11, {970, 1023})
                    : specialFloats(52, 11, {52,   53,   512,  874,  970,  998,  1008, 1021,
                                             1022, 1023, 1024, 1025, 1038, 1054, 1055, 1075,
                                             1076, 1085, 1086, 1087, 1151, 1500});
    } else if (type == 'f') {
        found = specialFloats(
            23, 8,
            {100, 102, 103, 112, 113, 125, 126, 127, 128, 142, 143, 150, 158, 159, 189, 190, 191});
    } else if (type == 'h') {
        for (uint64_t bits = 0; bits < 0x10000; ++bits)
            found.insert(bits);
    } else if (type == 's') {
        for (uint64_t count = 0; count < 64; ++count)
            found.insert(count);
    } else if (type == 'e') {
        for (const int exponent : {-2147483647 - 1,
                                   -5000,
                                   -2099,
                                   -2098,
                                   -1075,
                                   -1074,
                                   -1023,
                                   -1022,
                                   -54,
                                   -53,
                                   -52,
                                   -1,
                                   0,
                                   1,
                                   52,
                                   53,
                                   1023,
                                   1024,
                                   2046,
                                   2098,
                                   5000,
                                   2147483647})
            found.insert(static_cast<uint32_t>(exponent));
    } else {
        found = specialIntegers(type == 'l' ? 64 : 32);
    }
    return {found.begin(), found.end()};
}

uint64_t wide(proof::Random& random) {
    const uint64_t high = random.word();
    return high << 32 | random.word();
}

/// All bits at random; or few digits, near 1, or a small multiple of 1/2.
uint64_t randomDouble(proof::Random& random) {
    const uint64_t bits = wide(random);
    const uint32_t kind = random.word();
    const uint64_t fewDigits = ~uint64_t{0} << (kind >> 8) % 52;
    const uint64_t exponent = uint64_t{960 + (kind >> 16) % 130} << 52;
    switch (kind % 8) {
    case 0:
        return bits & fewDigits;
    case 1:
    case 2:
        return (bits & 0x800fffffffffffff) | exponent;
    case 3:
        return ((bits & 0x800fffffffffffff) | exponent) & fewDigits;
    case 4:
        return std::bit_cast<uint64_t>((static_cast<double>(kind >> 16) - 32768) / 2);
    default:
        return bits;
    }
}

uint64_t randomOf(char type, proof::Random& random) {
    switch (type) {
    case 'd':
        return randomDouble(random);
    case 'l': { // of each number of bits
        const uint64_t bits = wide(random);
        const uint32_t kind = random.word();
        const uint64_t size = bits >> kind % 64;
        return (kind & 64) != 0 ? 0 - size : size;
    }
    case 'h':
        return random.below(0x10000);
    case 's':
        return random.below(64);
    case 'e':
        return random.below(4400) - 2200;
    default: {
        const uint32_t bits = random.word();
        return type != 'f' && random.chance(2) ? bits >> random.below(32) : bits;
    }
    }
}

/// Returns a number a few units in the last place from another one, or from its negative.
uint64_t nearTo(uint64_t bits, proof::Random& random) {
    const uint32_t kind = random.word();
    return (bits + kind % 8 - 4) ^ (uint64_t{(kind & 8) != 0} << 63);
}

} // namespace

WideArguments specialArguments(const WideFunction& function) {
    const std::string& types = function.arguments;
    WideArguments made;
    std::vector<std::vector<uint64_t>> specials;
    size_t count = 1;
    for (const char type : types) {
        specials.push_back(specialsOf(type, types.size() > 2));
        count *= specials.back().size();
    }
    for (size_t i = 0; i < count; ++i) {
        size_t left = i;
        for (size_t place = 0; place < types.size(); ++place) {
            const std::vector<uint64_t>& from = specials[place];
            made[place].push_back(from[left % from.size()]);
            left /= from.size();
        }
    }
    return made;
}

WideArguments randomArguments(const WideFunction& function, size_t count, proof::Random& random) {
    const std::string& types = function.arguments;
    WideArguments made;
    for (size_t i = 0; i < count; ++i) {
        std::array<uint64_t, 3> drawn{};
        for (size_t place = 0; place < types.size(); ++place)
            drawn[place] = randomOf(types[place], random);
        if (types == "ddd" && random.chance(2))
            drawn[2] = nearTo(std::bit_cast<uint64_t>(std::bit_cast<double>(drawn[0]) *
                                                      std::bit_cast<double>(drawn[1])),
                              random);
        else if ((types == "dd" || types == "ll") && random.chance(8))
            drawn[1] = nearTo(drawn[0], random);
        for (size_t place = 0; place < types.size(); ++place)
            made[place].push_back(drawn[place]);
    }
    return made;
}

} // namespace kp::test
