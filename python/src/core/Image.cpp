// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include "base/Arrays.hpp"
#include "base/Values.hpp"
#include "core/Memory.hpp"

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
    auto handle = newMemory<ImageHandle>(manager, contents.dtype, {height, width, channels});
    void* const source = contents.data();
    const size_t elements = source ? static_cast<size_t>(contents.array.size()) : 0;
    std::optional<vk::ImageTiling> tiled;
    if (!tiling.empty())
        tiled = static_cast<vk::ImageTiling>(valueNamed(kTilings, tiling, "tiling"));
    handle->memory = withoutGil(*manager, [&] {
        Manager& maker = *manager->manager;
        return tiled ? maker.image(source, elements, width, height, channels, contents.type, *tiled,
                                   memoryType)
                     : maker.image(source, elements, width, height, channels, contents.type,
                                   memoryType);
    });
    return handle;
}

/// @param elements  the end of the documentation
void bindImageMaker(Classes& classes, const char* name, bool keepsDtype, const char* elements) {
    const char* const start = doc(R"(
        A storage image of `width` x `height` texels with 1 to 4 channels. Without the three,
        `data` has shape (height, width) or (height, width, channels). `tiling` is "optimal" or
        "linear".)");
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, uint32_t width, uint32_t height,
                     uint32_t channels, Memory::MemoryTypes memoryType, const std::string& tiling,
                     const py::object& dtype, std::optional<Memory::MemoryTypes> tensorType) {
            return makeImage(self, data, width, height, channels, tensorType.value_or(memoryType),
                             tiling, dtype, keepsDtype);
        },
        "data"_a = py::none(), "width"_a = 0, "height"_a = 0, "num_channels"_a = 0,
        "memory_type"_a = Memory::MemoryTypes::eDevice, py::kw_only(), "tiling"_a = "",
        "dtype"_a = py::none(), "tensor_type"_a = py::none(),
        formatted("{}\n\n{}", start, elements).c_str());
}

Image& imageOf(py::handle self) {
    return *handleOf<MemoryHandle>(self).image();
}

} // namespace

void bindImage(Classes& classes) {
    classes.image.def_property_readonly("width", getter(imageOf, &Image::getX), "Texels in a row.")
        .def_property_readonly("height", getter(imageOf, &Image::getY), "Rows.")
        .def_property_readonly("num_channels", getter(imageOf, &Image::getNumChannels),
                               "Channels of a texel.");
    bindImageMaker(classes, "image", false, "Channels are float32, or `dtype`.");
    bindImageMaker(classes, "image_t", true, "Channels are those of `data`, or `dtype`.");
}

} // namespace kp::python
