// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <new>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/program.h>
#include <kompute/program/Program.hpp>

// Members keep the manager until after the other ones.
struct kp_manager {
    std::shared_ptr<kp::Manager> manager;
};
struct kp_tensor {
    std::shared_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Tensor> tensor;
};
struct kp_program {
    std::shared_ptr<kp::Manager> manager;
    kp::Program program;
};
struct kp_recording {
    std::shared_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Sequence> sequence;
};

namespace kp {

/// Keeps an error's message, with the names that types have in C, for kp_last_error().
kp_status failed(kp_status status, const std::exception& error) noexcept;

/// Calls a function, and turns exceptions into a status and a message.
template <typename Function>
kp_status guarded(Function&& function) noexcept {
    try {
        function();
        return KP_SUCCESS;
    } catch (const InvalidArgument& error) {
        return failed(KP_INVALID_ARGUMENT, error);
    } catch (const Unsupported& error) {
        return failed(KP_UNSUPPORTED, error);
    } catch (const ShaderError& error) {
        return failed(KP_SHADER_ERROR, error);
    } catch (const OutOfMemory& error) {
        return failed(KP_OUT_OF_MEMORY, error);
    } catch (const std::bad_alloc& error) {
        return failed(KP_OUT_OF_MEMORY, error);
    } catch (const DeviceLost& error) {
        return failed(KP_DEVICE_LOST, error);
    } catch (const std::exception& error) {
        return failed(KP_FAILED, error);
    }
}

template <typename... Pointers>
void requirePointers(const Pointers*... pointers) {
    if ((!pointers || ...))
        throw InvalidArgument("a pointer argument is null");
}

/// @throws InvalidArgument for another number
Memory::DataTypes typeOf(kp_type type);

} // namespace kp
