// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/ElementType.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

using DataTypes = Memory::DataTypes;

/// Returns "float" for eFloat, "unsigned int" for eUnsignedInt.
std::string numberName(DataTypes number) {
    std::string name;
    for (const char letter : Memory::toString(number).substr(1)) {
        const bool capital = letter >= 'A' && letter <= 'Z';
        if (capital && !name.empty())
            name += ' ';
        name += capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return name;
}

void requireNumber(DataTypes number) {
    if (number == DataTypes::eCustom || number == DataTypes::eBool)
        fail<InvalidArgument>("vectors and matrices consist of numbers, not of {}",
                              Memory::toString(number));
}

void requireCount(const char* what, uint32_t count) {
    if (count < 2 || count > 4)
        fail<InvalidArgument>("{} are 2, 3 or 4, not {}", what, count);
}

} // namespace

ElementType::ElementType(DataTypes type) : number(type) {
    if (type == DataTypes::eCustom)
        fail<InvalidArgument>("the size of eCustom is not known; use ElementType::structOf");
}

ElementType ElementType::vectorOf(DataTypes number, uint32_t count) {
    requireNumber(number);
    requireCount("the numbers of a vector", count);
    ElementType type(number);
    type.rows = count;
    return type;
}

ElementType ElementType::matrixOf(DataTypes number, uint32_t columns, uint32_t rows) {
    requireNumber(number);
    requireCount("the columns of a matrix", columns);
    requireCount("the rows of a matrix", rows);
    ElementType type(number);
    type.columns = columns;
    type.rows = rows;
    return type;
}

ElementType ElementType::complexOf(DataTypes number) {
    if (number != DataTypes::eHalf && number != DataTypes::eFloat && number != DataTypes::eDouble)
        fail<InvalidArgument>("complex numbers consist of eHalf, eFloat or eDouble, not of {}",
                              Memory::toString(number));
    ElementType type(number);
    type.isComplex = true;
    return type;
}

ElementType ElementType::structOf(uint32_t bytes) {
    if (bytes == 0)
        fail<InvalidArgument>("a struct of 0 bytes cannot be an element");
    ElementType type;
    type.number = DataTypes::eCustom;
    type.structBytes = bytes;
    return type;
}

uint32_t ElementType::numberBytes() const {
    return number == DataTypes::eCustom ? structBytes : Memory::dataTypeMemorySize(number);
}

std::string ElementType::name() const {
    if (number == DataTypes::eCustom)
        return formatted("struct of {} bytes", structBytes);
    if (isComplex)
        return "complex of " + numberName(number);
    std::string name = numberName(number);
    if (columns > 1)
        name += formatted("[{}]", columns);
    if (rows > 1)
        name += formatted("[{}]", rows);
    return name;
}

} // namespace kp
