// SPDX-License-Identifier: Apache-2.0

// Stands for librenderdoc.so: notes the calls of its in-application interface. The second capture
// cannot be written.
#include <cstdint>
#include <string>

namespace {

std::string gCalls;
bool gCapturing = false;
void* gDevice = nullptr;

void start(void* device, void*) {
    gCalls += "start";
    gCapturing = true;
    gDevice = device;
}

uint32_t isCapturing() {
    return gCapturing ? 1 : 0;
}

uint32_t end(void* device, void*) {
    const bool first = gCalls == "start";
    gCalls += " end";
    gCapturing = false;
    return first && device == gDevice && device != nullptr ? 1 : 0;
}

} // namespace

extern "C" int RENDERDOC_GetAPI(int version, void** table) {
    static void* functions[22];
    functions[19] = reinterpret_cast<void*>(&start);
    functions[20] = reinterpret_cast<void*>(&isCapturing);
    functions[21] = reinterpret_cast<void*>(&end);
    *table = functions;
    return version == 10000 ? 1 : 0;
}

extern "C" const char* stubCalls() {
    return gCalls.c_str();
}
