// SPDX-License-Identifier: Apache-2.0
#include <kompute/program/ArrayProgram.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/shader/Check.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"
#include "program/ProgramImpl.hpp"
#include "program/RecordProgram.hpp"
#include "program/ValidateKernels.hpp"

namespace kp {
namespace arrays {
namespace {

using Names = std::vector<std::string>;

ProgramTensor described(const std::string& name, const Array& array) {
    if (name.empty())
        throw InvalidArgument("the arrays of a program have names, but an empty one was given");
    ProgramTensor tensor;
    tensor.name = name;
    tensor.type = dataTypeOf(array.dtype());
    tensor.elementSize = static_cast<uint32_t>(itemSize(array.dtype()));
    tensor.dtype = toString(array.dtype());
    for (const int64_t extent : array.shape())
        tensor.shape.push_back(static_cast<uint64_t>(extent));
    if (tensor.size() == 0)
        fail<InvalidArgument>("'{}' has no elements; a program takes and gives arrays that have "
                              "some",
                              name);
    return tensor;
}

/// Captures a function of arrays for a program.
class ProgramCapture {
public:
    explicit ProgramCapture(Home& home) : mCapture(home) {}

    /// Adds an argument, which is all of its memory.
    void addInput(const std::string& name, const Array& array) {
        mCapture.addStandIn(*stateOf(array).evaluated().storage);
        mGiven.push_back({described(name, array), memoryOf(array), true});
        mGiven.back().described.input = true;
    }

    void call(const std::function<NamedArrays(const NamedArrays&)>& function,
              const NamedArrays& arguments) {
        NamedArrays results = function(arguments);
        for (auto& [name, result] : results)
            addOutput(name, result);
        results.clear();
        if (!mCapture.refusal().empty())
            throw InvalidArgument(mCapture.refusal());
        if (mCapture.nodes() != 0 || mCapture.storages() != 0)
            throw InvalidArgument("the function keeps an array that it made; return it instead, "
                                  "because a program computes it anew in each run");
        mCapture.end();
    }

    program::Data record(vulkan::Device& device) const {
        std::set<const vulkan::Buffer*> scratch;
        for (const auto& [tensor, made] : mCapture.allMade())
            scratch.insert(implOf(*made.tensor).buffer.get());
        return program::recordProgram(device, mCapture.operations(), mGiven, scratch);
    }

private:
    void addOutput(const std::string& name, Array& result) {
        const auto sameName = [&](const program::Given& each) {
            return each.described.name == name;
        };
        if (std::ranges::any_of(mGiven, sameName))
            fail<InvalidArgument>("an argument and a result of the program have the name '{}'; "
                                  "give the result another one",
                                  name);
        result = whole(result);
        const std::shared_ptr<Tensor> memory = memoryOf(result);
        const bool isKnown =
            std::ranges::find(mGiven, memory, &program::Given::tensor) != mGiven.end();
        if (isKnown || !mCapture.made(*stateOf(result).evaluated().storage))
            result = whole(result.copy());
        mGiven.push_back({described(name, result), memoryOf(result)});
        mGiven.back().described.output = true;
    }

    CapturedLaunches mCapture;
    std::vector<program::Given> mGiven;
};

/// Returns an array's name of a type of tensors.
std::string nameOf(Memory::DataTypes type) {
    return type == Memory::DataTypes::eCustom || type == Memory::DataTypes::eBFloat16
               ? Memory::toString(type)
               : toString(dtypeOf(type));
}

/// Returns the variant of a program with the shapes of arrays.
/// @throws InvalidArgument that says what is wrong
size_t variantFor(const Program& program, const NamedArrays& inputs) {
    Names missing;
    for (const ProgramTensor& tensor : program.tensors())
        if (tensor.input && !inputs.contains(tensor.name))
            missing.push_back(formatted("'{}'", tensor.name));
    if (!missing.empty())
        fail<InvalidArgument>("the program also takes {}", join(missing));
    for (const auto& [name, array] : inputs) {
        const auto known = std::ranges::find(program.tensors(), name, &ProgramTensor::name);
        if (known == program.tensors().end() || !known->input)
            fail<InvalidArgument>("the program has no input '{}'", name);
        const bool same = known->dtype.empty() ? dataTypeOf(array.dtype()) == known->type
                                               : known->dtype == toString(array.dtype());
        if (!same)
            fail<InvalidArgument>("the program's '{}' has elements of type {}, but {} was given",
                                  name, known->dtype.empty() ? nameOf(known->type) : known->dtype,
                                  toString(array.dtype()));
    }
    Names known;
    for (size_t variant = 0; variant < program.variants(); ++variant) {
        bool fits = true;
        Names shapes;
        for (const ProgramTensor& tensor : program.tensors(variant)) {
            if (!tensor.input)
                continue;
            fits &= std::ranges::equal(
                tensor.shape, inputs.at(tensor.name).shape(),
                [](uint64_t a, int64_t b) { return a == static_cast<uint64_t>(b); });
            shapes.push_back(formatted("'{}' ({})", tensor.name, join(tensor.shape)));
        }
        if (fits)
            return variant;
        known.push_back(join(shapes));
    }
    Names given;
    for (const auto& [name, array] : inputs)
        given.push_back(formatted("'{}' ({})", name, join(array.shape())));
    fail<InvalidArgument>("the program was saved for the shapes {}, but {} was given; save it for "
                          "these, too",
                          join(known), join(given));
}

DType dtypeOf(const ProgramTensor& tensor) {
    for (int dtype = 0; dtype <= static_cast<int>(DType::eComplex128); ++dtype)
        if (tensor.dtype == toString(static_cast<DType>(dtype)))
            return static_cast<DType>(dtype);
    return kp::dtypeOf(tensor.type);
}

} // namespace
} // namespace arrays

Program captureProgram(const std::function<NamedArrays(const NamedArrays&)>& function,
                       const NamedArrays& arguments) {
    LaunchCapture::refuse("a program");
    if (!function)
        throw InvalidArgument("the function to make a program of is empty");
    if (arguments.empty())
        throw InvalidArgument("a program is made of a function of at least one array");
    const std::shared_ptr<arrays::Home> home = arrays::stateOf(arguments.begin()->second).home;
    NamedArrays copies; // which are all of their memory, and are not used for anything else
    for (const auto& [name, argument] : arguments) {
        const Array copy = arrays::whole(argument.copy());
        if (arrays::stateOf(copy).home != home)
            throw InvalidArgument("the arguments of a program are on different devices");
        arrays::stateOf(copy).evaluated();
        copies.emplace(name, copy);
    }
    const CheckScope unchecked("off"); // a program has no checks
    arrays::ProgramCapture capture(*home);
    for (const auto& [name, copy] : copies)
        capture.addInput(name, copy);
    capture.call(function, copies);
    home->queue()->finish(); // the contents of memory that are saved come from earlier launches
    const std::shared_ptr<vulkan::Device>& device = implOf(*home->queue()).device;
    program::Data data = capture.record(*device);
    if (std::ranges::none_of(data.variants.front().tensors, &ProgramTensor::output))
        throw InvalidArgument("the function of the program returns no array and changes none of "
                              "its arguments, so there is nothing to compute");
    return Program::Impl::make(device, home->queue(), std::move(data), &program::checkedKernel);
}

NamedArrays runProgram(const Program& program, const NamedArrays& inputs, Manager* manager) {
    const size_t variant = arrays::variantFor(program, inputs);
    NamedTensors tensors;
    NamedArrays outputs;
    const std::shared_ptr<arrays::Home> home =
        inputs.empty() ? arrays::Home::of(manager ? *manager : defaultManager())
                       : arrays::stateOf(inputs.begin()->second).home;
    for (const ProgramTensor& tensor : program.tensors(variant)) {
        Array array;
        if (tensor.input) {
            array = arrays::whole(inputs.at(tensor.name));
            if (tensor.output) // a result in memory of its own
                array = arrays::whole(array.copy());
        } else {
            Shape shape;
            for (const uint64_t extent : tensor.shape)
                shape.push_back(static_cast<int64_t>(extent));
            array = empty(shape, arrays::dtypeOf(tensor), &home->manager());
        }
        tensors.emplace(tensor.name, arrays::memoryOf(array));
        if (tensor.output)
            outputs.emplace(tensor.name, std::move(array));
    }
    const Program::Impl& impl = implOf(program);
    const bool recorded =
        !LaunchCapture::current() && implOf(*home->queue()).device == impl.loaded->device;
    if (!recorded) { // operation() throws if the device is another one
        arrays::launch(home->manager(), {program.operation(tensors)});
        return outputs;
    }
    std::vector<std::shared_ptr<Tensor>> inOrder;
    for (const ProgramTensor& tensor : program.tensors(variant))
        inOrder.push_back(tensors.at(tensor.name));
    impl.runs->launch(impl.loaded, variant, inOrder, home->queue());
    return outputs;
}

} // namespace kp
