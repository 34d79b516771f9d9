// SPDX-License-Identifier: Apache-2.0
#include "arrays/ArrayOperators.hpp"

#include <cmath>

#include <kompute/arrays/Functions.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/Arrays.hpp"
#include "base/Errors.hpp"
#include "base/Package.hpp"

namespace kp::python {
namespace {

/// The general functions, in Python. Set once the module is complete.
struct Hooks {
    PyObject* binary = nullptr;  ///< (name, x, y)
    PyObject* unary = nullptr;   ///< (name, x)
    PyObject* compare = nullptr; ///< (name, x, y)
    PyObject* get = nullptr;     ///< (x, key)
};
Hooks gHooks;

PyObject* called(PyObject* hook, std::initializer_list<PyObject*> arguments) {
    if (!hook) {
        setNeedsPackage();
        return nullptr;
    }
    return PyObject_Vectorcall(hook, arguments.begin(), arguments.size(), nullptr);
}

PyObject* calledByName(PyObject* hook, const Function& function,
                       std::initializer_list<PyObject*> operands) {
    const py::str name(function.name.data(), function.name.size());
    std::array<PyObject*, 3> arguments{name.ptr()};
    std::copy(operands.begin(), operands.end(), arguments.begin() + 1);
    if (!hook) {
        setNeedsPackage();
        return nullptr;
    }
    return PyObject_Vectorcall(hook, arguments.data(), operands.size() + 1, nullptr);
}

/// Returns an operand if it is an array, a float, or an int of 64 bits.
std::optional<Operand> plainOperand(PyObject* object) {
    if (isArray(object))
        return Operand(arrayIn(object));
    if (PyFloat_CheckExact(object))
        return Operand(PyFloat_AS_DOUBLE(object));
    if (!PyLong_CheckExact(object))
        return std::nullopt;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow ? std::nullopt : std::optional<Operand>(Operand(static_cast<int64_t>(value)));
}

/// Returns a function of plain operands; null without an exception if it is not one of the usual
/// cases, such as a number that the type cannot hold.
PyObject* applied(const Function& function, PyObject* first, PyObject* second) {
    std::array<Operand, 2> operands{Operand(0), Operand(0)};
    const size_t count = second ? 2 : 1;
    PyObject* const objects[] = {first, second};
    for (size_t i = 0; i < count; ++i) {
        std::optional<Operand> found = plainOperand(objects[i]);
        if (!found)
            return nullptr;
        operands[i] = std::move(*found);
    }
    requireThisProcess();
    try {
        const Resolution types = resolve(function, operands.data(), count);
        if (function.textFor(types.operands[0]).empty())
            return nullptr;
        // Whether exponents are negative is found out by waiting for the device.
        if (types.operands[0] < DType::eFloat16 && function.name == "pow")
            return nullptr;
        return newArray(apply(function, operands.data(), count));
    } catch (const InvalidArgument&) { // of types or shapes: Python's function has a better message
        return nullptr;
    }
}

template <const char* Name>
const Function& functionNamed() {
    static const Function& function = *findFunction(Name);
    return function;
}

PyObject* binary(const Function& function, PyObject* x, PyObject* y) {
    return guarded([&]() -> PyObject* {
        if (PyObject* const result = applied(function, x, y))
            return result;
        return calledByName(gHooks.binary, function, {x, y});
    });
}

template <const char* Name>
PyObject* binarySlot(PyObject* x, PyObject* y) {
    return binary(functionNamed<Name>(), x, y);
}

template <const char* Name>
PyObject* unarySlot(PyObject* x) {
    const Function& function = functionNamed<Name>();
    return guarded([&]() -> PyObject* {
        if (PyObject* const result = applied(function, x, nullptr))
            return result;
        return calledByName(gHooks.unary, function, {x});
    });
}

constexpr char kPow[] = "pow";
constexpr char kSquare[] = "square";
constexpr char kPositive[] = "positive";
constexpr char kSqrt[] = "sqrt";
constexpr char kReciprocal[] = "reciprocal";

/// Returns the value of a Python int or float; NaN for anything else.
double numberOf(PyObject* object) {
    if (PyFloat_CheckExact(object))
        return PyFloat_AS_DOUBLE(object);
    int overflow = 0;
    const long long value =
        PyLong_CheckExact(object) ? PyLong_AsLongLongAndOverflow(object, &overflow) : 0;
    return PyLong_CheckExact(object) && !overflow ? static_cast<double>(value) : std::nan("");
}

/// Some exponents mean other functions, as in NumPy's operator.
PyObject* powerSlot(PyObject* x, PyObject* y, PyObject* modulus) {
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    if (isArray(x)) {
        const double exponent = numberOf(y);
        const bool floating = arrayIn(x).dtype() >= DType::eFloat16;
        if (exponent == 2 && (floating || PyLong_CheckExact(y)))
            return unarySlot<kSquare>(x);
        if (exponent == 1 && floating)
            return unarySlot<kPositive>(x);
        if (exponent == 0.5 && floating)
            return unarySlot<kSqrt>(x);
        if (exponent == -1 && floating)
            return unarySlot<kReciprocal>(x);
    }
    return binary(functionNamed<kPow>(), x, y);
}

PyObject* compareSlot(PyObject* x, PyObject* y, int operation) {
    static const Function* const functions[] = {
        findFunction("less"),      findFunction("less_equal"), findFunction("equal"),
        findFunction("not_equal"), findFunction("greater"),    findFunction("greater_equal")};
    const Function& function = *functions[operation];
    return guarded([&]() -> PyObject* {
        if (PyObject* const result = applied(function, x, y))
            return result;
        return calledByName(gHooks.compare, function, {x, y});
    });
}

/// Adds an entry of a key. Returns false for anything but an int, a slice of ints, None or `...`.
bool addIndex(std::vector<Index>& indices, PyObject* entry) {
    const auto integer = [](PyObject* number, int64_t& value) {
        if (!PyLong_CheckExact(number))
            return false;
        int overflow = 0;
        value = PyLong_AsLongLongAndOverflow(number, &overflow);
        return overflow == 0;
    };
    int64_t value = 0;
    if (integer(entry, value)) {
        indices.emplace_back(value);
        return true;
    }
    if (entry == Py_None) {
        indices.emplace_back(newAxis);
        return true;
    }
    if (entry == Py_Ellipsis) {
        indices.emplace_back(ellipsis);
        return true;
    }
    if (!PySlice_Check(entry))
        return false;
    auto* const slice = reinterpret_cast<PySliceObject*>(entry);
    Slice found;
    if (slice->step != Py_None && (!integer(slice->step, found.step) || found.step <= 0))
        return false;
    if (slice->start != Py_None && !integer(slice->start, found.start))
        return false;
    if (slice->stop != Py_None && !integer(slice->stop, found.stop))
        return false;
    indices.emplace_back(found);
    return true;
}

PyObject* subscriptSlot(PyObject* x, PyObject* key) {
    return guarded([&]() -> PyObject* {
        std::vector<Index> indices;
        bool plain = true;
        if (PyTuple_CheckExact(key)) {
            for (Py_ssize_t i = 0; plain && i < PyTuple_GET_SIZE(key); ++i)
                plain = addIndex(indices, PyTuple_GET_ITEM(key, i));
        } else {
            plain = addIndex(indices, key);
        }
        const Array& array = arrayIn(x);
        if (plain && array.isEvaluated()) {
            try {
                return newArray(array.select(indices));
            } catch (const InvalidArgument&) { // Python raises IndexError
            }
        }
        return called(gHooks.get, {x, key});
    });
}

constexpr char kAdd[] = "add";
constexpr char kSubtract[] = "subtract";
constexpr char kMultiply[] = "multiply";
constexpr char kDivide[] = "divide";
constexpr char kFloorDivide[] = "floor_divide";
constexpr char kRemainder[] = "remainder";
constexpr char kAnd[] = "bitwise_and";
constexpr char kOr[] = "bitwise_or";
constexpr char kXor[] = "bitwise_xor";
constexpr char kLeft[] = "bitwise_left_shift";
constexpr char kRight[] = "bitwise_right_shift";
constexpr char kNegative[] = "negative";
constexpr char kAbs[] = "abs";
constexpr char kInvert[] = "bitwise_invert";

bool compares(const Function& function) {
    static const Function* const known[] = {findFunction("equal"),   findFunction("not_equal"),
                                            findFunction("less"),    findFunction("less_equal"),
                                            findFunction("greater"), findFunction("greater_equal")};
    return std::ranges::find(known, &function) != std::end(known);
}

/// Returns an operand beside others. An int of more than 64 bits is a float beside floats, and
/// larger or smaller than all other integers.
Operand operandBeside(py::handle object, bool floats, bool compared) {
    if (!PyLong_CheckExact(object.ptr()))
        return operandFrom(object);
    int overflow = 0;
    static_cast<void>(PyLong_AsLongLongAndOverflow(object.ptr(), &overflow));
    if (overflow == 0)
        return operandFrom(object);
    if (floats) {
        const double rounded = PyLong_AsDouble(object.ptr());
        if (rounded == -1 && PyErr_Occurred())
            throw py::error_already_set();
        return Operand(rounded);
    }
    if (overflow < 0 && compared)
        return Operand(INT64_MIN);
    if (compared && PyLong_AsUnsignedLongLong(object.ptr()) == UINT64_MAX && PyErr_Occurred()) {
        PyErr_Clear();
        return Operand(UINT64_MAX);
    }
    return operandFrom(object);
}

py::object appliedTo(const std::string& name, const py::sequence& objects) {
    requireThisProcess();
    const Function* const function = findFunction(name);
    if (!function)
        throw py::key_error(name);
    if (std::ranges::all_of(function->texts, &std::string::empty))
        return py::none();
    bool floats = false;
    for (const py::handle each : objects) {
        if (!isArray(each.ptr()))
            continue;
        static_cast<void>(arrayIn(each).manager()); // throws if it was destroyed
        floats |= arrayIn(each).dtype() >= DType::eFloat16;
    }
    const bool compared = compares(*function);
    std::vector<Operand> operands;
    for (const py::handle each : objects)
        operands.push_back(operandBeside(each, floats, compared));
    Resolution types;
    try {
        types = resolve(*function, operands.data(), operands.size());
    } catch (const InvalidArgument& error) {
        throw py::type_error(error.what());
    }
    if (function->textFor(types.operands[0]).empty())
        return py::none();
    for (size_t i = 0; !compared && i < operands.size(); ++i)
        if (operands[i].adapts())
            requireHeld(operands[i], types.operands[i], objects[i]);
    Array result;
    try {
        const ReleaseGil release; // whether exponents are negative takes a wait
        result = apply(*function, operands.data(), operands.size());
    } catch (const InvalidArgument& error) { // of shapes and values
        throw py::value_error(error.what());
    }
    return py::reinterpret_steal<py::object>(newArray(std::move(result)));
}

} // namespace

std::vector<PyType_Slot> arrayOperators() {
    const auto slot = [](int id, auto* function) {
        return PyType_Slot{id, reinterpret_cast<void*>(function)};
    };
    return {slot(Py_nb_add, binarySlot<kAdd>),
            slot(Py_nb_subtract, binarySlot<kSubtract>),
            slot(Py_nb_multiply, binarySlot<kMultiply>),
            slot(Py_nb_true_divide, binarySlot<kDivide>),
            slot(Py_nb_floor_divide, binarySlot<kFloorDivide>),
            slot(Py_nb_remainder, binarySlot<kRemainder>),
            slot(Py_nb_and, binarySlot<kAnd>),
            slot(Py_nb_or, binarySlot<kOr>),
            slot(Py_nb_xor, binarySlot<kXor>),
            slot(Py_nb_lshift, binarySlot<kLeft>),
            slot(Py_nb_rshift, binarySlot<kRight>),
            slot(Py_nb_power, powerSlot),
            slot(Py_nb_negative, unarySlot<kNegative>),
            slot(Py_nb_positive, unarySlot<kPositive>),
            slot(Py_nb_absolute, unarySlot<kAbs>),
            slot(Py_nb_invert, unarySlot<kInvert>),
            slot(Py_mp_subscript, subscriptSlot),
            slot(Py_tp_richcompare, compareSlot),
            slot(Py_tp_hash, PyObject_HashNotImplemented)};
}

void bindArrayOperators(py::module_& module) {
    module.def(
        "_set_array_hooks",
        [](const py::function& binary, const py::function& unary, const py::function& compare,
           const py::function& get) {
            gHooks = {binary.inc_ref().ptr(), unary.inc_ref().ptr(), compare.inc_ref().ptr(),
                      get.inc_ref().ptr()};
        },
        "binary"_a, "unary"_a, "compare"_a, "get"_a,
        "Set the functions that handle the general cases.");
    module.def(
        "_set_default_float",
        [](py::handle dtype) {
            if (dtype.is_none())
                resetDefaultFloat();
            else
                setDefaultFloat(arrayType(dtype));
        },
        "dtype"_a, "Set the default floating-point type; None: undo.");
    module.def(
        "_resolve",
        [](const std::string& name, const py::sequence& samples) -> py::object {
            const Function* const function = findFunction(name);
            if (!function)
                throw py::key_error(name);
            std::vector<Operand> operands;
            for (const py::handle each : samples) {
                if (PyType_Check(each.ptr()))
                    operands.push_back(
                        each.is(py::handle(reinterpret_cast<PyObject*>(&PyFloat_Type)))
                            ? Operand(0.0)
                        : each.is(py::handle(reinterpret_cast<PyObject*>(&PyComplex_Type)))
                            ? Operand::complex(0, 0)
                            : Operand(0));
                else
                    operands.emplace_back(arrayType(each), Operand(0));
            }
            try {
                const Resolution found = resolve(*function, operands.data(), operands.size());
                py::list types;
                for (size_t i = 0; i < operands.size(); ++i)
                    types.append(numpyType(found.operands[i]));
                types.append(numpyType(found.result));
                return py::tuple(types);
            } catch (const InvalidArgument&) {
                return py::none();
            }
        },
        "name"_a, "kinds"_a,
        "Return the types of the operands and of the result, or None if the function refuses "
        "them.");
    module.def(
        "_computes",
        [](const std::string& name, py::handle dtype) {
            const Function* const function = findFunction(name);
            return function && !function->textFor(arrayType(dtype)).empty();
        },
        "name"_a, "dtype"_a, "Return whether devices compute a function of a dtype.");
    module.def("_apply", &appliedTo, "name"_a, "operands"_a,
               "Return a function of arrays and numbers, or None if devices cannot compute it.");
}

} // namespace kp::python
