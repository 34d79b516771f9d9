// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/Bytecode.hpp"

#include <algorithm>
#include <utility>

namespace kp::shader {

Opcode Bytecode::opcodeOf(Computation computation) {
    std::vector<uint32_t> key{computation.node.opcode, computation.node.type};
    size_t value = 0;
    for (size_t i = 0; i < computation.isValue.size(); ++i)
        key.insert(key.end(), {computation.isValue[i] ? 1u : 0u,
                               computation.isValue[i] ? computation.types[value++]
                                                      : computation.node.operands[i]});
    const auto [found, isNew] = mOpcodes.try_emplace(
        std::move(key),
        static_cast<Opcode>(static_cast<uint32_t>(Opcode::eFirstComputed) + computations.size()));
    if (isNew)
        computations.push_back(std::move(computation));
    return found->second;
}

void Bytecode::placeRegisters(uint32_t function, uint32_t first) {
    uint32_t& known = mFirst[function];
    if (known >= first)
        return;
    known = first;
    const InterpretedFunction& code = functions.at(function);
    mRegisters = std::max(mRegisters, first + code.registers);
    for (const uint32_t called : code.calls)
        placeRegisters(called, first + code.registers);
}

uint32_t Bytecode::numberOf(const Register& of) const {
    return of.function == 0 ? 0 : mFirst.at(of.function) + of.index;
}

bool Bytecode::place() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> labels;
    auto place = uint32_t{1};
    for (const auto& [id, function] : functions) {
        placeRegisters(id, 1);
        mPlaces[id] = place;
        std::vector<uint32_t> places;
        for (const Operation& each : function.code) {
            places.push_back(place);
            place += each.next == Operation::Next::eNone ? 1 : 2;
        }
        places.push_back(place);
        for (const auto& [label, at] : function.labels)
            labels[{id, label}] = places[at];
    }
    mTable.assign(1, {0, 0});
    for (const auto& [id, function] : functions)
        for (const Operation& each : function.code) {
            mTable.push_back({static_cast<uint32_t>(each.opcode) | numberOf(each.result) << 8 |
                                  numberOf(each.a) << 20,
                              numberOf(each.b) | numberOf(each.c) << 12});
            switch (each.next) {
            case Operation::Next::eNone:
                break;
            case Operation::Next::eWords:
                mTable.push_back(each.words);
                break;
            case Operation::Next::eLabel:
                mTable.push_back({labels.at({id, each.words[0]}), 0});
                break;
            case Operation::Next::eFunction:
                mTable.push_back({mPlaces.at(each.words[0]), 0});
                break;
            case Operation::Next::eRegister:
                mTable.push_back({numberOf(each.at), 0});
                break;
            }
        }
    return mRegisters <= kMaxRegisters &&
           computations.size() + static_cast<size_t>(Opcode::eFirstComputed) <= kMaxOpcodes;
}

} // namespace kp::shader
