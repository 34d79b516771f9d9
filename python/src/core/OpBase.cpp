// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "core/Operations.hpp"
#include "shader/Constants.hpp"

namespace kp::python {
namespace {

void addAccess(Accesses& accesses, py::handle entry) {
    if (!PyTuple_Check(entry.ptr()) || PyTuple_GET_SIZE(entry.ptr()) != 2)
        throw py::type_error(
            "accesses() returns pairs of a tensor or image and \"r\", \"w\" or \"rw\"");
    const auto pair = py::reinterpret_borrow<py::tuple>(entry);
    const std::shared_ptr<Memory>& memory =
        handleOf<MemoryHandle>(pair[0], "the first of a pair of accesses()").memory;
    const std::string mode = py::str(pair[1]);
    if (mode == "r")
        accesses.read(memory);
    else if (mode == "w")
        accesses.write(memory);
    else if (mode == "rw")
        accesses.readWrite(memory);
    else
        throw py::value_error(
            formatted("accesses() has \"{}\", which is not \"r\", \"w\" or \"rw\"", mode));
}

/// An operation whose class is derived in Python: its record() returns the operations that it
/// consists of, and its hooks run around theirs. Called with the GIL held, except preEval().
class PythonOperation final : public OpBase {
public:
    /// @param self  an instance of a class derived from kp.OpBase
    explicit PythonOperation(py::object self) : mSelf(std::move(self)) {}
    ~PythonOperation() override { release(std::move(mSelf)); }

    /// The accesses that Python's accesses() adds to the parts' own.
    Accesses accesses() override {
        Accesses accesses;
        const py::object more = mSelf.attr("accesses")();
        if (!more.is_none())
            for (const py::handle entry : more)
                addAccess(accesses, entry);
        return accesses;
    }

    void record(const vk::CommandBuffer& commandBuffer) override {
        const py::object parts = mSelf.attr("record")();
        std::vector<std::shared_ptr<OpBase>> recorded;
        if (!parts.is_none())
            for (const py::handle part : parts) {
                if (part.is(mSelf))
                    throw py::value_error(
                        "record() of an operation cannot name the operation itself; "
                        "use super().record()");
                recorded.push_back(toOperation(part.ptr()));
                recordPart(commandBuffer, *recorded.back());
            }
        mParts = std::move(recorded);
    }

    void preEval(const vk::CommandBuffer& commandBuffer) override {
        // A submission that waited for the host is made by the thread that ended the wait, while
        // another one may record the operation again.
        std::vector<std::shared_ptr<OpBase>> parts;
        const auto call = [&] {
            parts = mParts;
            mSelf.attr("pre_eval")();
        };
        if (holdsGil())
            call();
        else
            runFromLibrary(call);
        for (const std::shared_ptr<OpBase>& part : parts)
            static_cast<OpBase&>(*part).preEval(commandBuffer);
    }

    void postEval(const vk::CommandBuffer& commandBuffer) override {
        for (const std::shared_ptr<OpBase>& part : mParts)
            static_cast<OpBase&>(*part).postEval(commandBuffer);
        mSelf.attr("post_eval")();
    }

    int visitObjects(visitproc visit, void* arg) const {
        Py_VISIT(mSelf.ptr());
        for (const std::shared_ptr<OpBase>& part : mParts)
            if (const int result = visitDerived(*part, visit, arg))
                return result;
        return 0;
    }

private:
    py::object mSelf;
    std::vector<std::shared_ptr<OpBase>> mParts; ///< of the last record()
};

/// kp.OpBase itself: only derived classes can be recorded.
struct BaseOp final : OpHandle {};

using DispatchHandle = HandleOf<OpAlgoDispatch>;
struct FillOperation final : OpHandle {};

/// The classes of this module, whose instances are recorded as they are.
std::vector<PyTypeObject*> gOperationTypes;

/// Binds an operation that takes a list of memory and nothing else.
template <typename Op>
void bindListOperation(py::module_& module, const char* name, const char* documentation,
                       bool allowsEmpty) {
    declareOperation<HandleOf<Op>>(module, name, documentation)
        .def(py::init([allowsEmpty](const py::object& tensors) {
                 return std::make_unique<HandleOf<Op>>(toMemory(tensors, "tensors", allowsEmpty));
             }),
             "tensors"_a);
}

std::unique_ptr<DispatchHandle> makeDispatch(const py::object& algorithm,
                                             const py::object& pushConsts,
                                             const py::object& groupCounts, uint64_t offset) {
    auto& handle = handleOf<AlgorithmHandle>(algorithm, "algorithm");
    const bool givesPush = !pushConsts.is_none() && !(PyTuple_CheckExact(pushConsts.ptr()) &&
                                                      PyTuple_GET_SIZE(pushConsts.ptr()) == 0);
    PushBytes push;
    if (givesPush)
        push = pushConstantBytes(pushConsts, handle.spirv,
                                 handle.algorithm->getPushConstants<unsigned char>(), "push_consts",
                                 &handle.push);
    if (handle.algorithm->isInit()) {
        const size_t bytes = push.bytes.empty()
                                 ? handle.algorithm->getPushConstants<unsigned char>().size()
                                 : push.bytes.size();
        requirePushConstants(declaredPush(handle.push, handle.spirv), bytes);
    }
    if (groupCounts.is_none())
        return std::make_unique<DispatchHandle>(handle.algorithm, push.bytes.data(),
                                                push.bytes.size(), push.type);
    if (!push.bytes.empty())
        throw py::value_error("push_consts and group_counts cannot be given together; use "
                              "Algorithm.set_push_constants");
    return std::make_unique<DispatchHandle>(
        handle.algorithm, handleOf<TensorHandle>(groupCounts, "group_counts").tensor(), offset);
}

template <typename T>
std::shared_ptr<OpBase> fillOf(const std::vector<std::shared_ptr<Memory>>& memory,
                               const void* value) {
    T copied{};
    std::memcpy(&copied, value, sizeof copied);
    // A value of eight different bytes is filled by a shader, whose pipeline is made here.
    const ReleaseGil release;
    return std::make_shared<OpFill>(memory, ElementBits(copied));
}

std::shared_ptr<OpBase> fillOf(const std::vector<std::shared_ptr<Memory>>& memory,
                               const py::array& item) {
    switch (item.itemsize()) {
    case 1:
        return fillOf<uint8_t>(memory, item.data());
    case 2:
        return fillOf<uint16_t>(memory, item.data());
    case 4:
        return fillOf<uint32_t>(memory, item.data());
    case 8:
        return fillOf<uint64_t>(memory, item.data());
    default:
        throw py::type_error(
            formatted("OpFill takes tensors whose elements have 1, 2, 4 or 8 bytes, not {}",
                      item.itemsize()));
    }
}

/// Refuses numbers that a float type rounds to infinity. Infinity itself is allowed.
void requireFinite(const py::object& value, const py::dtype& element) {
    if (element.kind() != 'f')
        return;
    const py::module_ numpy = py::module_::import("numpy");
    py::object number = value;
    if (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr())) {
        const py::array array = numpy.attr("asarray")(value);
        if (array.size() != 1 || array.dtype().kind() != 'f')
            return;
        number = array.attr("item")();
    }
    const double given = py::float_(number);
    // Halfway between the largest number and the next power of two.
    const double limit = element.itemsize() == 2   ? 65520
                         : element.itemsize() == 4 ? 0x1.ffffffp127
                                                   : std::numeric_limits<double>::infinity();
    if (!std::isfinite(given) || std::abs(given) < limit)
        return;
    const py::object largest = numpy.attr("finfo")(element).attr("max").attr("item")();
    throw InvalidArgument(formatted("OpFill cannot fill elements of {} with {}: the largest finite "
                                    "one is {}",
                                    nameOf(element), std::string(py::str(number)),
                                    std::string(py::str(largest))));
}

std::unique_ptr<FillOperation> makeFill(const py::object& tensors, const py::object& value) {
    const std::vector<MemoryHandle*> handles = toMemoryHandles(tensors, "tensors", true);
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(handles);
    const py::dtype element = handles.empty() ? py::dtype::of<float>() : handles.front()->dtype;
    for (const MemoryHandle* const handle : handles)
        if (!handle->dtype.equal(element))
            throw py::type_error(formatted("OpFill fills elements of one dtype, but tensors has "
                                           "'{}' and '{}'; fill them by an operation each",
                                           nameOf(element), nameOf(handle->dtype)));
    requireFinite(value, element);
    const py::array item = toArray(value, element, "value");
    if (item.size() != 1)
        throw py::value_error(formatted("value is one number, not {}", item.size()));
    const Uses useMemory(handles);
    auto made = std::make_unique<FillOperation>();
    made->op = fillOf(memory, item);
    return made;
}

std::unique_ptr<HandleOf<OpMult>> makeMult(const py::object& tensors, const py::object& algorithm) {
    auto& handle = handleOf<AlgorithmHandle>(algorithm, "algorithm");
    requireUnused(handle, "algorithm");
    const py::list list = toList(tensors, "tensors");
    const std::vector<MemoryHandle*> handles = toMemoryHandles(list, "tensors");
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(handles);
    const Uses useMemory(handles);
    const Use useAlgorithm(handle);
    std::unique_ptr<HandleOf<OpMult>> made;
    {
        const ReleaseGil release;
        made = std::make_unique<HandleOf<OpMult>>(memory, handle.algorithm);
    }
    handle.memory = list;
    return made;
}

std::unique_ptr<HandleOf<OpRepeat>> makeRepeat(const py::object& operations,
                                               const TensorHandle& flag, uint32_t most,
                                               uint64_t element) {
    std::vector<std::shared_ptr<OpBase>> step;
    std::vector<std::shared_ptr<OpBase>> derived;
    const py::list given = isA<OpHandle>(operations) ? py::list(py::make_tuple(operations))
                                                     : toList(operations, "operations");
    for (const py::handle operation : given)
        step.push_back(toOperation(operation.ptr(), &derived));
    if (!derived.empty())
        throw py::type_error("OpRepeat takes operations of kp, which the device repeats by itself, "
                             "and no classes derived in Python; give the operations that "
                             "their record() returns");
    return std::make_unique<HandleOf<OpRepeat>>(std::move(step), flag.tensor(), most, element);
}

/// @param Flags  vk::AccessFlagBits or vk::PipelineStageFlagBits
template <typename Flags>
Flags oneFlag(py::handle value, const char* argument) {
    const std::optional<uint64_t> bits = toUnsigned(value);
    if (!bits || *bits > UINT32_MAX)
        throwTypeError(argument, "a kp.AccessFlags or kp.PipelineStageFlags", value);
    return static_cast<Flags>(*bits);
}

} // namespace

void addOperationType(py::handle type) {
    gOperationTypes.push_back(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

int visitDerived(const OpBase& operation, visitproc visit, void* argument) {
    const auto* const derived = dynamic_cast<const PythonOperation*>(&operation);
    return derived ? derived->visitObjects(visit, argument) : 0;
}

std::shared_ptr<OpBase> toOperation(PyObject* object,
                                    std::vector<std::shared_ptr<OpBase>>* derived) {
    PyTypeObject* const type = Py_TYPE(object);
    if (std::find(gOperationTypes.begin(), gOperationTypes.end(), type) != gOperationTypes.end())
        if (auto* const handle = pointerOf<OpHandle>(object))
            return handle->op;
    if (PyType_Check(object)) {
        const std::string name = publicName(reinterpret_cast<PyTypeObject*>(object)->tp_name);
        throw py::type_error(
            formatted("op is the class {}; create an object of it: {}(...)", name, name));
    }
    if (isA<AlgorithmHandle>(object))
        throw py::type_error(
            "op is a kp.OpBase, not a kp.Algorithm; use kp.OpAlgoDispatch(algorithm)");
    // Throws for everything but a sound instance of a derived class.
    handleOf<OpHandle>(object, "op");
    if (type == gType<OpHandle>)
        throw py::type_error("op is a plain kp.OpBase, which does nothing; derive a class from it");
    auto operation = std::make_shared<PythonOperation>(py::reinterpret_borrow<py::object>(object));
    if (derived)
        derived->push_back(operation);
    return operation;
}

void bindOperations(py::module_& module, Classes& classes) {
    classes.operation.def(py::init([] { return std::make_unique<BaseOp>(); }))
        .def(
            "record",
            [](const py::object& self) -> py::object {
                PyErr_Format(PyExc_NotImplementedError,
                             "%s must define record(), which returns the operations it consists of",
                             Py_TYPE(self.ptr())->tp_name);
                throw py::error_already_set();
            },
            doc(R"(
                Returns the operations that this one consists of, in order. Called when a sequence
                records this operation, and by Sequence.rerecord. May be a generator.)"))
        .def(
            "accesses", [](const py::object&) { return py::none(); }, doc(R"(
            Returns memory that shaders access beyond their declarations, for example by address:
            pairs of a tensor or image and "r", "w" or "rw".)"))
        .def(
            "pre_eval", [](const py::object&) {}, "Called on the host before each submission.")
        .def(
            "post_eval", [](const py::object&) {},
            "Called on the host after each evaluation that was waited for.");

    bindListOperation<OpSyncDevice>(module, "OpSyncDevice",
                                    "Copies the host view of device memory to the device. Does "
                                    "nothing for other memory types.",
                                    true);
    bindListOperation<OpSyncLocal>(
        module, "OpSyncLocal",
        "Copies device memory to its host view. Does nothing for other memory types.", true);
    bindListOperation<OpCopy>(module, "OpCopy",
                              "Copies the device memory of the first object to each of the others.",
                              false);

    declareOperation<DispatchHandle>(module, "OpAlgoDispatch", "Dispatches an algorithm.")
        .def(py::init(&makeDispatch), "algorithm"_a, "push_consts"_a = py::tuple(), py::kw_only(),
             "group_counts"_a = py::none(), "offset"_a = 0, doc(R"(
                 `push_consts` are for this dispatch only: a list (float32), a number, a NumPy array
                 or structure, or a dict by name. `group_counts` is a tensor that holds the work
                 groups in x, y and z as uint32 when the dispatch runs, `offset` bytes from its
                 start. They are not checked: counts beyond the device's max_work_group_count
                 hang.)"))
        .def(
            "record",
            [](const py::object& self) {
                auto plain = std::make_unique<DispatchHandle>(nullptr, nullptr, 0);
                plain->op = handleOf<OpHandle>(self).op;
                return py::make_tuple(py::cast(std::move(plain)));
            },
            "The dispatch itself.");

    declareOperation<FillOperation>(module, "OpFill",
                                    "Fills the device memory of tensors with one value.")
        .def(py::init(&makeFill), "tensors"_a, "value"_a);

    declareOperation<HandleOf<OpMult>>(
        module, "OpMult", "Multiplies two float tensors element by element into a third.")
        .def(py::init(&makeMult), "tensors"_a, "algorithm"_a);

    declareOperation<HandleOf<OpRepeat>>(module, "OpRepeat", doc(R"(
        Repeats operations until a flag on the device is set, in one submission.)"))
        .def(py::init(&makeRepeat), "operations"_a, "flag"_a, "most"_a, "element"_a = 0, doc(R"(
            Before each of at most `most` steps, the device looks at the `flag`, an element of a
            tensor of integers or booleans that the operations may write. Once it is not 0, no
            further step runs. A step consists of dispatches, primitives, OpCopy, OpFill and OpMult,
            which the device can skip; others raise InvalidArgument when they are recorded.)"));

    declareOperation<HandleOf<OpMemoryBarrier>>(module, "OpMemoryBarrier", doc(R"(
        A barrier placed by hand. Sequences place all barriers that their operations need.)"))
        .def(py::init([](const py::object& tensors, const py::object& srcAccess,
                         const py::object& dstAccess, const py::object& srcStage,
                         const py::object& dstStage, bool barrierOnPrimary) {
                 return std::make_unique<HandleOf<OpMemoryBarrier>>(
                     toMemory(tensors, "tensors"),
                     oneFlag<vk::AccessFlagBits>(srcAccess, "src_access"),
                     oneFlag<vk::AccessFlagBits>(dstAccess, "dst_access"),
                     oneFlag<vk::PipelineStageFlagBits>(srcStage, "src_stage"),
                     oneFlag<vk::PipelineStageFlagBits>(dstStage, "dst_stage"), barrierOnPrimary);
             }),
             "tensors"_a, "src_access"_a, "dst_access"_a, "src_stage"_a, "dst_stage"_a,
             "barrier_on_primary"_a = true);
}

} // namespace kp::python
