// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <kompute/shader/Check.hpp>

#include "base/Values.hpp"
#include "core/Classes.hpp"

namespace kp::python {
namespace {

/// A with statement's CheckScope. It can be entered again after it has ended.
class Scope {
public:
    explicit Scope(std::string checks) : mChecks(std::move(checks)) { CheckScope tried(mChecks); }

    void enter() {
        if (mScope)
            throw InvalidArgument("this kp.checked() is entered already; make another one");
        mScope = std::make_unique<CheckScope>(mChecks);
    }
    void exit() { mScope.reset(); }

private:
    const std::string mChecks;
    std::unique_ptr<CheckScope> mScope;
};

} // namespace

std::string toChecks(const py::object& value) {
    if (value.is_none())
        return {};
    if (py::isinstance<py::bool_>(value))
        return value.cast<bool>() ? "1" : "off";
    if (!PyUnicode_Check(value.ptr()))
        throwTypeError("check", "True, False or a list of checks such as 'bounds'", value);
    return value.cast<std::string>();
}

void bindCheck(py::module_& module) {
    py::class_<Scope>(module, "checked", doc(R"(
        Checked mode for kernels, algorithms and shaders that are compiled and first run in a with
        statement, in this thread. A shader's mistake is then a CheckFailed from the call that
        waits.

        `checks` is True or a list: "bounds" (accesses outside of buffers, arrays and vectors),
        "arithmetic" (integer division by zero, shifts by the width or more, overflow of indices),
        "nan", "races" (accesses of two work items that nothing orders), "uninitialised" (reads of
        memory that was never written) and "steps=1000000". True is
        the first two, and False turns it off. The environment variable KOMPUTE_CHECK does the same for a program, and
        `check` of Manager, Manager.algorithm and Kernel for one of them.)"))
        .def(py::init([](const py::object& checks) {
                 return std::make_unique<Scope>(toChecks(checks));
             }),
             "checks"_a = true)
        .def("__enter__",
             [](py::object self) {
                 self.cast<Scope&>().enter();
                 return self;
             })
        .def("__exit__", [](Scope& self, const py::args&) { self.exit(); });
    module.def("_checks", &currentChecks,
               "Returns the checks of this thread as text, which tells kernels apart.");
}

} // namespace kp::python
