// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/ElementwiseKernel.hpp>

#include <algorithm>
#include <mutex>

#include <kompute/Error.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/engine/ElementKernel.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::NodePtr;
using arrays::View;

constexpr uint64_t kKernel = 'k';

std::string identityOf(const std::vector<ElementwiseKernel::Parameter>& parameters) {
    std::string identity;
    for (const ElementwiseKernel::Parameter& each : parameters)
        identity += formatted("{}:{}:{};", each.name, each.letter, each.raw);
    return identity;
}

/// Returns the type of registers in which functions of the library compute.
std::string_view computedOf(const std::vector<DType>& types, size_t inputs) {
    for (const DType each : types)
        if (numberType(each).family == 'f')
            return numberType(each).computed;
    return numberType(types[inputs]).computed;
}

} // namespace

/// A kernel's arguments, and the program that computes the inputs.
struct ElementwiseKernel::Call {
    explicit Call(const Shape& shape) : program(shape) {}

    arrays::KernelCode program;
    arrays::Layout layout;
    std::vector<NodePtr> inputs; ///< by parameter
    std::vector<View> raw;       ///< by parameter; without memory for others
    std::vector<View> results;
    std::vector<int> values;        ///< of the inputs; -1 for raw ones
    std::vector<int> places;        ///< of the results
    std::vector<int> inputBindings; ///< of raw inputs
    std::vector<int> bindings;      ///< of the results
};

ElementwiseKernel::ElementwiseKernel(std::vector<Parameter> inputs, std::vector<Parameter> results,
                                     std::string operation, std::string name, std::string preamble)
    : mInputs(std::move(inputs)), mResults(std::move(results)), mOperation(std::move(operation)),
      mName(std::move(name)), mPreamble(std::move(preamble)),
      mIdentity(arrays::interned(formatted("{}->{}\n{}\n{}\n{}", identityOf(mInputs),
                                           identityOf(mResults), mName, mOperation, mPreamble))) {}

const std::string& ElementwiseKernel::run(const Shape& shape, const std::vector<Operand>& inputs,
                                          const std::vector<Array>& results) const {
    if (inputs.size() != mInputs.size() || results.size() != mResults.size())
        fail<InvalidArgument>("{} takes {} and {}, not {} and {}", mName,
                              counted(mInputs.size(), "input"), counted(mResults.size(), "result"),
                              inputs.size(), results.size());
    const std::lock_guard lock(arrays::engineLock());
    Call call(shape);
    arrays::Signature signature(kKernel);
    signature.add(mIdentity);
    signature.add(shape);
    for (size_t i = 0; i < inputs.size(); ++i)
        call.inputs.push_back(arrays::nodeOf(inputs[i], inputs[i].dtype()));
    arrays::reduceSize(call.inputs, results.size());
    for (const Array& each : results) {
        const View& view = arrays::stateOf(each).evaluated();
        if (!view.writable)
            throw InvalidArgument("a result is read-only: it repeats elements; give a copy");
        if (view.shape != shape)
            fail<InvalidArgument>("a result has the shape {}, not {}", toString(view.shape),
                                  toString(shape));
        arrays::beforeWrite(view.storage);
        call.results.push_back(view);
    }
    static const std::string none;
    if (std::ranges::find(shape, 0) != shape.end())
        return none;
    call.raw.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) // first: another input may be the same expression
        if (mInputs[i].raw)
            call.raw[i] = arrays::whole(arrays::materialize(call.inputs[i]));
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (mInputs[i].raw)
            signature.add(call.raw[i]);
        else
            signature.add(*call.inputs[i]);
    }
    for (const View& view : call.results)
        signature.add(view);
    arrays::Home& home = *call.results[0].storage->home();
    if (arrays::Plan* const known = home.plans().find(signature)) {
        home.plans().launch(*known, signature);
        return *known->source;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        call.inputBindings.push_back(mInputs[i].raw ? call.program.bindingOf(call.raw[i].storage)
                                                    : -1);
        call.values.push_back(mInputs[i].raw ? -1 : call.program.value(call.inputs[i]));
    }
    for (const View& view : call.results) {
        call.places.push_back(call.program.placeOf(view.offset, view.shape, view.strides));
        call.bindings.push_back(call.program.bindingOf(view.storage));
    }
    call.layout = call.program.layout();
    const int64_t count = shape.product();
    arrays::Plan& plan = home.plans().add(
        signature, mName, call.program, call.layout, {static_cast<uint32_t>(count)}, source(call),
        (static_cast<uint64_t>(count) + arrays::kLocalSize - 1) / arrays::kLocalSize);
    home.plans().launch(plan, signature);
    return *plan.source;
}

std::string ElementwiseKernel::source(const Call& call) const {
    arrays::KernelText text(call.program, call.layout, 1, call.values);
    std::string body = arrays::kGlobalIndex;
    body += "    uint n = p[0];\n    if (i >= n) return;\n";
    body += text.coordinates("i", arrays::Part::eKept, "    ");
    for (size_t at = 0; at < call.program.instructions().size(); ++at)
        body += formatted("    {}\n", text.statement(at, "i", "0u"));
    std::string declared;
    std::string defines;
    std::vector<DType> types;
    std::vector<std::string> letters;
    const auto declare = [&](const Parameter& parameter, DType dtype) {
        types.push_back(dtype);
        text.use(dtype);
        if (parameter.letter.empty() ||
            std::ranges::find(letters, parameter.letter) != letters.end())
            return;
        letters.push_back(parameter.letter);
        defines += formatted("#define {} {}\n", parameter.letter, numberType(dtype).computed);
    };
    for (size_t i = 0; i < mInputs.size(); ++i) {
        const DType dtype = call.inputs[i]->dtype;
        const std::string_view computed = numberType(dtype).computed;
        declare(mInputs[i], dtype);
        if (mInputs[i].raw)
            declared += formatted("{} {}(uint k) {{ return {}; }}\n", computed, mInputs[i].name,
                                  text.loading(call.inputBindings[i], "k", dtype));
        else
            body += formatted("    {} {} = v{};\n", computed, mInputs[i].name, call.values[i]);
    }
    for (size_t i = 0; i < mResults.size(); ++i) {
        const DType dtype = call.results[i].dtype();
        declare(mResults[i], dtype);
        body += formatted("    {} {};\n", numberType(dtype).computed, mResults[i].name);
    }
    body += formatted("    {};\n", text.calling(mOperation, computedOf(types, mInputs.size())));
    for (size_t i = 0; i < mResults.size(); ++i) {
        const DType dtype = call.results[i].dtype();
        const std::string_view wrap = numberType(dtype).wrap;
        const std::string value = wrap.empty()
                                      ? mResults[i].name
                                      : text.calling(filled(wrap, {mResults[i].name}), "float");
        body += formatted("    {}\n",
                          text.storing(call.bindings[i], text.placeText(call.places[i], "i", "0u"),
                                       dtype, value));
    }
    return text.source(mName, body, defines + declared + mPreamble + "\n");
}

} // namespace kp
