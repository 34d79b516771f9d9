// SPDX-License-Identifier: Apache-2.0
//
// A baseline for overhead.py: the frequent calls of kp with ordinary pybind11 bindings, and the
// same calls in a C++ loop.
#include <chrono>

#include <kompute/Kompute.hpp>
#include <kompute/Launch.hpp>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace {

/// Returns the mean nanoseconds of @p count calls.
template <typename Call>
double nanoseconds(size_t count, Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < count; ++i)
        call();
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count() / static_cast<double>(count);
}

double timeRecord(const std::shared_ptr<kp::Sequence>& sequence,
                  const std::shared_ptr<kp::OpBase>& op, size_t count) {
    return nanoseconds(count, [&] { sequence->record(op); });
}

/// Times the submission of each sequence, but not the waits that follow.
double timeEvalAsync(const std::vector<std::shared_ptr<kp::Sequence>>& sequences) {
    size_t next = 0;
    const double time = nanoseconds(sequences.size(), [&] { sequences[next++]->evalAsync(); });
    for (const std::shared_ptr<kp::Sequence>& sequence : sequences)
        sequence->evalAwait();
    return time;
}

double timeData(const std::shared_ptr<kp::Tensor>& tensor, size_t count) {
    volatile void* seen = nullptr;
    return nanoseconds(count, [&] { seen = tensor->rawData(); });
}

/// Times launches, but not the wait that follows.
double timeLaunch(kp::KernelLauncher& launcher, size_t count) {
    kp::Event last;
    const double time = nanoseconds(count, [&] { last = *launcher(); });
    last.wait();
    return time;
}

double timeLaunchAndWait(kp::KernelLauncher& launcher, size_t count) {
    return nanoseconds(count, [&] { launcher()->wait(); });
}

} // namespace

PYBIND11_MODULE(kompute_plain, module) {
    py::class_<kp::OpBase, std::shared_ptr<kp::OpBase>>(module, "OpBase");
    py::class_<kp::OpSyncDevice, kp::OpBase, std::shared_ptr<kp::OpSyncDevice>>(module,
                                                                                "OpSyncDevice")
        .def(py::init([](const std::shared_ptr<kp::Tensor>& tensor) {
            return std::make_shared<kp::OpSyncDevice>(
                std::vector<std::shared_ptr<kp::Memory>>{tensor});
        }));
    py::class_<kp::Tensor, std::shared_ptr<kp::Tensor>>(module, "Tensor")
        .def("data", [](const py::object& self) {
            auto& tensor = py::cast<kp::Tensor&>(self);
            return py::array_t<float>(static_cast<py::ssize_t>(tensor.size()), tensor.data<float>(),
                                      self);
        });
    py::class_<kp::Sequence, std::shared_ptr<kp::Sequence>>(module, "Sequence")
        .def("record", [](kp::Sequence& self,
                          const std::shared_ptr<kp::OpBase>& op) { return self.record(op); })
        .def("eval_async", [](kp::Sequence& self) { return self.evalAsync(); })
        .def("eval_await", [](kp::Sequence& self) { return self.evalAwait(); })
        .def("clear", &kp::Sequence::clear);
    py::class_<kp::Manager, std::shared_ptr<kp::Manager>>(module, "Manager")
        .def(py::init<>())
        .def("tensor",
             [](kp::Manager& self, uint64_t count) {
                 return self.tensor(count, sizeof(float), kp::Memory::DataTypes::eFloat);
             })
        .def("sequence", [](kp::Manager& self) { return self.sequence(); });
    py::class_<kp::Event>(module, "Event", py::module_local())
        .def("wait", [](const kp::Event& self) { self.wait(); });
    py::class_<kp::KernelLauncher, std::shared_ptr<kp::KernelLauncher>>(module, "KernelLauncher")
        .def(py::init([](kp::Manager& manager, const std::string& glsl,
                         const std::shared_ptr<kp::Tensor>& tensor) {
            kp::KernelOptions options;
            options.globalSize = kp::WorkSize(tensor->size());
            return std::make_shared<kp::KernelLauncher>("launch", kp::Kernel(manager, glsl),
                                                        kp::Arguments{tensor}, options);
        }))
        .def("__call__", [](kp::KernelLauncher& self) { return *self(); });
    module.def("time_launch", &timeLaunch);
    module.def("time_launch_and_wait", &timeLaunchAndWait);
    module.def("time_record", &timeRecord);
    module.def("time_eval_async", &timeEvalAsync);
    module.def("time_data", &timeData);
}
