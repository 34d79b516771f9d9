// SPDX-License-Identifier: Apache-2.0
//
// A shader that prints. The validation layer passes the text to the logger, and a custom sink
// collects it. If there is no layer, or it does not support the device, the program reports that.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

namespace {

const char* kSquare = R"(#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Out { float squares[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float square = values[i] * values[i];
    squares[i] = square;
    debugPrintfEXT("the square of %f is %f", values[i], square);
}
)";

/// Receives the library's messages as long as it exists.
class Listener {
public:
    Listener() { kp::logger::setSink(receive, this); }
    ~Listener() { kp::logger::setSink(nullptr); }

    std::vector<std::string> printed;
    std::vector<std::string> complaints;

private:
    static void receive(void* context, kp::logger::Level level, const char*, int,
                        const char* message) {
        auto* self = static_cast<Listener*>(context);
        if (level >= kp::logger::Level::eWarn)
            self->complaints.push_back(message);
        else if (std::string(message).find("the square of") != std::string::npos)
            self->printed.push_back(message);
    }
};

std::vector<float> square(kp::Manager& manager, const std::vector<float>& input) {
    kp::CompileOptions options;
    options.debugInfo = true;
    auto values = manager.tensor(input);
    auto squares = manager.tensorT<float>(input.size());
    auto algorithm = manager.algorithm({values, squares}, manager.compile(kSquare, options));
    manager.sequence()
        ->record<kp::OpSyncDevice>({values})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpSyncLocal>({squares})
        ->eval();
    return squares->vector();
}

int run() {
    std::printf("device: %s\n", kp::Manager().deviceInfo().name.c_str());

    kp::logger::setLogLevel(kp::logger::Level::eInfo); // shader output has this level
    Listener listener;
    kp::ManagerOptions options;
    options.validation = "printf";
    std::unique_ptr<kp::Manager> manager;
    try {
        manager = std::make_unique<kp::Manager>(options);
    } catch (const kp::Unsupported& error) {
        std::printf("shaders cannot print here: %s\n", error.what());
        return 0;
    }
    const std::vector<float> squares = square(*manager, {1.0f, 2.0f, 3.0f});

    for (const std::string& line : listener.printed)
        std::printf("shader: %s\n", line.c_str());
    for (const std::string& line : listener.complaints)
        std::printf("layer: %s\n", line.c_str());
    if (squares != std::vector<float>{1.0f, 4.0f, 9.0f}) {
        std::printf("WRONG squares\n");
        return 1;
    }
    if (listener.printed.empty() && !listener.complaints.empty()) {
        std::printf("shaders cannot print here; see the layer's message above\n");
        return 0;
    }
    std::sort(listener.printed.begin(), listener.printed.end());
    const bool right =
        listener.printed.size() == 3 &&
        listener.printed[2].find("the square of 3.000000 is 9.000000") != std::string::npos;
    std::printf("%s\n",
                right ? "correct" : "WRONG: expected one line for each of the three values");
    return right ? 0 : 1;
}

} // namespace

int main() try { return run(); } catch (const kp::Error& error) {
    std::fprintf(stderr, "shader_printf: %s\n", error.what());
    return 1;
}
