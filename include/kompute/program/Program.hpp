// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Export.hpp>
#include <kompute/Memory.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/operations/OpBase.hpp>

namespace kp {

class Manager;
class Queue;
class Sequence;

/// A tensor that a Program takes, or gives, or both.
struct ProgramTensor {
    std::string name;
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint32_t elementSize = sizeof(float); ///< bytes
    std::string dtype;                    ///< of an array, by NumPy's name: "complex64"; else empty
    /// Elements along each axis, the last one closest in memory. Empty for a single number. A
    /// Tensor with as many elements is bound.
    std::vector<uint64_t> shape;
    bool input = false;  ///< its contents are read
    bool output = false; ///< its contents are results

    /// Returns the number of elements.
    uint64_t size() const {
        uint64_t count = 1;
        for (const uint64_t extent : shape)
            count *= extent;
        return count;
    }
};

/// Tensors by their names.
using NamedTensors = std::map<std::string, std::shared_ptr<Tensor>>;

/// Recorded operations that can be saved to a file and run elsewhere, by a program without Python
/// and without a shader compiler:
///
///     kp::Program::of(*sequence, {{"x", x}}, {{"y", y}}).save("step.kp");
///     ...
///     kp::Program step = kp::Program::load(manager, "step.kp");
///     step.run({{"x", other}, {"y", result}});
///
/// A program has the kernels as the driver gets them, the constants, the commands and the barriers
/// of the operations, and the contents of the other memory that they read. A run does the same
/// each time: memory without a name that it changes begins with the saved contents.
/// Sizes are fixed; join() puts programs for several sizes into one.
///
/// kompute::runtime is a library that loads and runs programs, without compilers: see
/// docs/guides/programs.md.
///
/// A value that shares its state with copies. Thread-safe; a sequence with its operation is used
/// by one thread at a time.
class KOMPUTE_API Program {
public:
    // A move copies, so that no program is without a state.
    Program(const Program&) = default;
    Program& operator=(const Program&) = default;

    /// Makes a program of the operations that a sequence has recorded.
    ///
    /// OpSyncDevice and OpSyncLocal are left out; they come before the other uses of their tensors,
    /// and after them. Of tensors without a name, newer data of the
    /// host is copied to the device now.
    /// @param inputs, outputs  tensors that runs get; one with the same name in both is changed in
    ///                         place
    /// @throws InvalidArgument if there are no operations, a tensor has two names, operations do
    ///         not use a tensor, or write an input that is not an output; Unsupported if an
    ///         operation cannot be saved: it uses images, buffer addresses or checked mode, or is
    ///         the program's own and does not call OpBase::makeSkippable()
    static Program of(const Sequence& sequence, const NamedTensors& inputs,
                      const NamedTensors& outputs);
    /// Same, of operations that need not be recorded. For launchers, see programOf().
    /// @param queue  of the device, on which run() runs
    static Program of(const std::vector<std::shared_ptr<OpBase>>& operations,
                      const NamedTensors& inputs, const NamedTensors& outputs,
                      const std::shared_ptr<Queue>& queue);

    /// Puts programs into one, which runs the one whose tensors have the sizes of the tensors that
    /// are given. They have the same names and types, and other sizes.
    /// @throws InvalidArgument unless that is so
    static Program join(const std::vector<Program>& programs);

    /// Reads a program that save() wrote. The file's checksum and everything that the library does
    /// with it are checked, but not what its kernels do: load what you would also execute. See
    /// loadUntrusted(). Has no checks.
    /// @throws InvalidArgument if it cannot be read, is damaged, or is of a newer version;
    ///         Unsupported or ShaderError if the device lacks what it needs
    static Program load(const Manager& manager, const std::string& path);
    /// Same, of a file's content in memory.
    static Program parse(const Manager& manager, const void* data, size_t bytes);

    /// Same, and validates the kernels, so that a file that is made to do harm reaches no driver
    /// with a module that is invalid. Contains SPIRV-Tools, so it makes a program larger. In
    /// checked mode, the program has the manager's checks, or the thread's of the call; not
    /// `steps`.
    /// @throws also ShaderError
    static Program loadUntrusted(const Manager& manager, const std::string& path);
    static Program parseUntrusted(const Manager& manager, const void* data, size_t bytes);

    /// Writes the program to a file, whole or not at all.
    /// @throws InvalidArgument if it cannot be written
    void save(const std::string& path) const;
    /// Returns what save() writes.
    std::vector<unsigned char> content() const;

    /// Returns the number of sizes that it runs with.
    size_t variants() const;
    /// Returns the tensors of one: inputs first, then the other outputs, each by name.
    /// @throws InvalidArgument if there is no such variant
    const std::vector<ProgramTensor>& tensors(size_t variant = 0) const;

    /// Returns an operation that runs the program with these tensors, for sequences, launchers and
    /// queues. It has memory of its own for intermediate results, and copies nothing to the host or
    /// from it.
    /// @param tensors  all inputs and outputs; outputs have memory of their own
    /// @throws InvalidArgument if a tensor is missing, unknown, null, on another device, or of
    ///         another type, or if the sizes fit no variant
    std::shared_ptr<OpBase> operation(const NamedTensors& tensors) const;

    /// Copies the host's data of the inputs to the device, runs the program on the manager's
    /// default queue, copies the outputs to the host, and waits.
    /// @throws as operation(); DeviceLost, OutOfMemory
    void run(const NamedTensors& tensors) const;

    struct Impl;

private:
    friend struct Internals;
    explicit Program(std::shared_ptr<const Impl> impl) : mImpl(std::move(impl)) {}

    std::shared_ptr<const Impl> mImpl;
};

} // namespace kp
