// SPDX-License-Identifier: Apache-2.0
#include "core/Image.hpp"

#include <optional>
#include <string>

#include "base/Arrays.hpp"
#include "base/Values.hpp"

namespace kp::python {
namespace {

/// VkImageTiling, as vk::ImageTiling is only declared in the public headers.
constexpr Named<int> kTilings[] = {{"optimal", 0}, {"linear", 1}};

std::unique_ptr<ImageHandle> makeImage(py::handle self, const py::object& data, uint32_t width,
                                       uint32_t height, uint32_t channels,
                                       Memory::MemoryTypes memoryType, const std::string& tiling,
                                       const py::object& dtype, bool keepsDtype) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const py::object noShape =
        data.is_none() ? py::object(py::make_tuple(height, width, channels)) : py::none();
    const Contents contents(data, noShape, dtype, keepsDtype);
    if (width == 0 && height == 0 && channels == 0 && !data.is_none()) {
        const auto& shape = contents.shape;
        if (shape.size() != 2 && shape.size() != 3)
            throw py::value_error("width, height and num_channels are needed, or data of shape "
                                  "(height, width) or (height, width, channels)");
        height = static_cast<uint32_t>(shape[0]);
        width = static_cast<uint32_t>(shape[1]);
        channels = shape.size() == 3 ? static_cast<uint32_t>(shape[2]) : 1;
    }
    auto handle = std::make_unique<ImageHandle>();
    handle->manager = manager;
    handle->dtype = contents.dtype;
    handle->shape = {height, width, channels};
    void* const source = contents.data();
    const size_t elements = source ? static_cast<size_t>(contents.array.size()) : 0;
    std::optional<vk::ImageTiling> tiled;
    if (!tiling.empty())
        tiled = static_cast<vk::ImageTiling>(valueNamed(kTilings, tiling, "tiling"));
    const Use use(*manager);
    {
        const py::gil_scoped_release release;
        Manager& maker = *manager->manager;
        handle->memory = tiled ? maker.image(source, elements, width, height, channels,
                                             contents.type, *tiled, memoryType)
                               : maker.image(source, elements, width, height, channels,
                                             contents.type, memoryType);
    }
    return handle;
}

void bindImageMaker(Classes& classes, const char* name, bool keepsDtype,
                    const char* documentation) {
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, uint32_t width, uint32_t height,
                     uint32_t channels, Memory::MemoryTypes memoryType, const std::string& tiling,
                     const py::object& dtype, std::optional<Memory::MemoryTypes> tensorType) {
            return makeImage(self, data, width, height, channels, tensorType.value_or(memoryType),
                             tiling, dtype, keepsDtype);
        },
        py::arg("data") = py::none(), py::arg("width") = 0, py::arg("height") = 0,
        py::arg("num_channels") = 0, py::arg("memory_type") = Memory::MemoryTypes::eDevice,
        py::kw_only(), py::arg("tiling") = "", py::arg("dtype") = py::none(),
        py::arg("tensor_type") = py::none(), documentation);
}

Image& imageOf(py::handle self) {
    return *handleOf<MemoryHandle>(self).image();
}

} // namespace

void bindImage(Classes& classes) {
    classes.image
        .def_property_readonly(
            "width", [](py::handle self) { return imageOf(self).getX(); }, "Texels in a row.")
        .def_property_readonly(
            "height", [](py::handle self) { return imageOf(self).getY(); }, "Rows.")
        .def_property_readonly(
            "num_channels", [](py::handle self) { return imageOf(self).getNumChannels(); },
            "Channels of a texel.");
    bindImageMaker(classes, "image", false, doc(R"(
        A storage image of `width` x `height` texels with 1 to 4 channels. Without the three,
        `data` has shape (height, width) or (height, width, channels). `tiling` is "optimal" or
        "linear".

        Channels are float32, or `dtype`.
    )"));
    bindImageMaker(classes, "image_t", true, doc(R"(
        A storage image of `width` x `height` texels with 1 to 4 channels. Without the three,
        `data` has shape (height, width) or (height, width, channels). `tiling` is "optimal" or
        "linear".

        Channels are those of `data`, or `dtype`.
    )"));
}

} // namespace kp::python
