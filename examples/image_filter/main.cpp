// SPDX-License-Identifier: Apache-2.0
//
// Finds the edges in a picture:
//
//   image_filter IN.png OUT.png
//
// The program uploads the picture as an image, filters it with a shader, and compares every pixel
// of the result with the same filter on the CPU.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Png.hpp"
#include "sobel.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Picture sobelOnCpu(const Picture& picture) {
    const auto brightness = [&](int64_t x, int64_t y) {
        x = std::clamp<int64_t>(x, 0, picture.width - 1);
        y = std::clamp<int64_t>(y, 0, picture.height - 1);
        const uint8_t* pixel = &picture.pixels[static_cast<size_t>(y * picture.width + x) * 4];
        return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
    };
    Picture edges{picture.width, picture.height, 1, {}};
    for (int64_t y = 0; y < picture.height; ++y) {
        for (int64_t x = 0; x < picture.width; ++x) {
            const int dx = brightness(x + 1, y - 1) + 2 * brightness(x + 1, y) +
                           brightness(x + 1, y + 1) - brightness(x - 1, y - 1) -
                           2 * brightness(x - 1, y) - brightness(x - 1, y + 1);
            const int dy = brightness(x - 1, y + 1) + 2 * brightness(x, y + 1) +
                           brightness(x + 1, y + 1) - brightness(x - 1, y - 1) -
                           2 * brightness(x, y - 1) - brightness(x + 1, y - 1);
            const double steepness = std::sqrt(static_cast<double>(dx * dx + dy * dy));
            edges.pixels.push_back(static_cast<uint8_t>(std::min(steepness, 255.0)));
        }
    }
    return edges;
}

/// Evaluates the sequence and returns the milliseconds: device time if @p timestamps, else host
/// time.
double timeOf(kp::Sequence& sequence, bool timestamps) {
    const Clock::time_point start = Clock::now();
    sequence.eval();
    if (!timestamps)
        return millisecondsSince(start);
    const std::vector<uint64_t> times = sequence.getTimestampsNs();
    return static_cast<double>(times[1] - times[0]) * 1e-6;
}

int run(const char* inPath, const char* outPath) {
    const Picture picture = readPng(inPath);
    Picture edges{picture.width, picture.height, 1, {}};
    edges.pixels.resize(static_cast<size_t>(picture.width) * picture.height);

    kp::Manager manager;
    const kp::DeviceInfo info = manager.deviceInfo();
    std::printf("device: %s\n", info.name.c_str());
    std::printf("picture: %u x %u\n", picture.width, picture.height);

    const auto storage = kp::Memory::MemoryTypes::eStorage;
    auto in = manager.imageT<uint8_t>(picture.width, picture.height, 4, storage);
    auto out = manager.imageT<uint8_t>(picture.width, picture.height, 1, storage);
    auto sobel = manager.algorithm(
        {in, out}, {shaders::SOBEL_COMP_SPV.begin(), shaders::SOBEL_COMP_SPV.end()});
    sobel->setThreadCount(picture.width, picture.height);

    auto start = Clock::now();
    in->upload(picture.pixels);
    const double uploadTime = millisecondsSince(start);

    auto sequence = manager.sequence(0, info.timestamps ? 1 : 0);
    sequence->record<kp::OpAlgoDispatch>(sobel);
    std::vector<double> times;
    for (int i = 0; i < 20; ++i)
        times.push_back(timeOf(*sequence, info.timestamps));
    std::sort(times.begin(), times.end());
    const double filterTime = times[times.size() / 2];

    start = Clock::now();
    out->download(edges.pixels.data(), edges.pixels.size());
    const double downloadTime = millisecondsSince(start);

    start = Clock::now();
    const Picture expected = sobelOnCpu(picture);
    const double cpuTime = millisecondsSince(start);

    const double megapixels = 1e-6 * picture.width * picture.height;
    std::printf("upload   %8.3f ms\n", uploadTime);
    std::printf("filter   %8.3f ms  (%s, median of %zu; %.0f megapixels per second)\n", filterTime,
                info.timestamps ? "device clock" : "host clock", times.size(),
                1000.0 * megapixels / filterTime);
    std::printf("download %8.3f ms\n", downloadTime);
    std::printf("one CPU core: %.3f ms\n", cpuTime);

    size_t wrong = 0;
    for (size_t i = 0; i < edges.pixels.size(); ++i)
        wrong += edges.pixels[i] != expected.pixels[i];
    if (wrong != 0) {
        std::printf("WRONG: %zu of %zu pixels differ from the CPU's\n", wrong, edges.pixels.size());
        return 1;
    }
    std::printf("correct: all %zu pixels equal the CPU's\n", edges.pixels.size());
    writePng(outPath, edges);
    return 0;
}

} // namespace

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: image_filter IN.png OUT.png\n");
        return 2;
    }
    return run(argv[1], argv[2]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "image_filter: %s\n", error.what());
    return 1;
}
