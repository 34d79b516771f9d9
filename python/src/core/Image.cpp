// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>
#include <cctype>

#include "base/Arrays.hpp"

namespace kp::python {
namespace {

/// VkImageTiling, as vk::ImageTiling is only declared in the public headers.
constexpr Named<int> kImageTilings[] = {{"optimal", 0}, {"linear", 1}};

constexpr Named<ImageType> kImageTypes[] = {{"1d", ImageType::e1D},
                                            {"2d", ImageType::e2D},
                                            {"3d", ImageType::e3D},
                                            {"1d_array", ImageType::e1DArray},
                                            {"2d_array", ImageType::e2DArray}};

constexpr Named<ImageUsage> kImageUsages[] = {
    {"auto", ImageUsage::eAuto},
    {"storage", ImageUsage::eStorage},
    {"sampled", ImageUsage::eSampled},
    {"storage_and_sampled", ImageUsage::eStorageAndSampled}};

/// The extents of an image in the order of an array's axes, without the channels.
std::vector<uint32_t*> axesOf(ImageOptions& options) {
    switch (options.type) {
    case ImageType::e1D:
        return {&options.width};
    case ImageType::e1DArray:
        return {&options.layers, &options.width};
    case ImageType::e3D:
        return {&options.depth, &options.height, &options.width};
    case ImageType::e2DArray:
        return {&options.layers, &options.height, &options.width};
    default:
        return {&options.height, &options.width};
    }
}

/// Names of those axes, for messages.
const char* axisNames(ImageType type) {
    switch (type) {
    case ImageType::e1D:
        return "width";
    case ImageType::e1DArray:
        return "layers, width";
    case ImageType::e3D:
        return "depth, height, width";
    case ImageType::e2DArray:
        return "layers, height, width";
    default:
        return "height, width";
    }
}

/// The arguments of Manager.image, apart from the data.
struct ImageArguments {
    uint32_t width, height, channels, depth, layers;
    std::string format, type, usage, tiling;
    Memory::MemoryTypes memoryType;

    ImageOptions options() const {
        ImageOptions options;
        options.type = valueNamed(kImageTypes, type, "image_type");
        options.usage = valueNamed(kImageUsages, usage, "usage");
        if (!format.empty())
            options.format = formatNamed(format);
        if (!tiling.empty())
            options.tiling =
                static_cast<vk::ImageTiling>(valueNamed(kImageTilings, tiling, "tiling"));
        options.memoryType = memoryType;
        return options;
    }
    bool sized() const {
        return width != 0 || height != 0 || channels != 0 || depth != 0 || layers != 0;
    }
    /// Sets the extents from these arguments. Those that the type lacks are 1 if not given.
    void setExtents(ImageOptions& options) const {
        const bool line = options.type == ImageType::e1D || options.type == ImageType::e1DArray;
        options.width = width;
        options.height = line && height == 0 ? 1 : height;
        options.depth = depth == 0 && options.type != ImageType::e3D ? 1 : depth;
        const bool array =
            options.type == ImageType::e1DArray || options.type == ImageType::e2DArray;
        options.layers = layers == 0 && !array ? 1 : layers;
        options.channels = channels;
    }
};

/// @throws ValueError if an extent is 0
void requireExtents(const ImageOptions& options) {
    const std::pair<const char*, uint32_t> extents[] = {
        {"width", options.width},   {"height", options.height},         {"depth", options.depth},
        {"layers", options.layers}, {"num_channels", options.channels},
    };
    for (const auto& [name, extent] : extents)
        if (extent == 0)
            throw py::value_error(formatted(
                "a zero-sized image cannot be created: {} is 0 or was not given; an image of type "
                "\"{}\" takes {}, and num_channels unless its format says them",
                name, nameIn(kImageTypes, options.type), axisNames(options.type)));
}

/// Sets the extents to an array's. A single channel need not have an axis.
void takeShape(ImageOptions& options, const std::vector<py::ssize_t>& shape) {
    const std::vector<uint32_t*> axes = axesOf(options);
    if (shape.size() != axes.size() && shape.size() != axes.size() + 1)
        throw py::value_error(formatted(
            "an image of type \"{}\" needs data of shape ({}) or ({}, channels), but the data has "
            "shape {}; or give its extents (width, height, num_channels, ...)",
            nameIn(kImageTypes, options.type), axisNames(options.type), axisNames(options.type),
            reprOf(toTuple(shape))));
    for (size_t i = 0; i < shape.size(); ++i)
        if (shape[i] > static_cast<py::ssize_t>(UINT32_MAX))
            throw py::value_error(
                formatted("the data has shape {}, larger than any image", reprOf(toTuple(shape))));
    for (size_t i = 0; i < axes.size(); ++i)
        *axes[i] = static_cast<uint32_t>(shape[i]);
    options.channels = shape.size() > axes.size() ? static_cast<uint32_t>(shape.back()) : 1;
}

/// Returns the dtype of a format's channels.
py::object dtypeOf(Format format) {
    switch (dataTypeOf(format)) {
    case Memory::DataTypes::eChar:
        return py::dtype("int8");
    case Memory::DataTypes::eUnsignedChar:
        return py::dtype("uint8");
    case Memory::DataTypes::eShort:
        return py::dtype("int16");
    case Memory::DataTypes::eUnsignedShort:
        return py::dtype("uint16");
    case Memory::DataTypes::eInt:
        return py::dtype("int32");
    case Memory::DataTypes::eUnsignedInt:
        return py::dtype("uint32");
    case Memory::DataTypes::eHalf:
        return py::dtype("float16");
    default:
        return py::dtype("float32");
    }
}

std::unique_ptr<ImageHandle> makeImage(py::handle self, const py::object& data,
                                       const ImageArguments& given, const py::object& dtype,
                                       bool keepsDtype, bool cast) {
    const auto manager = sharedOf<ManagerHandle>(self);
    ImageOptions options = given.options();
    given.setExtents(options);
    if (data.is_none() && options.channels == 0)
        options.channels = channelsOf(options.format);
    const py::object chosen =
        dtype.is_none() && options.format != Format::eUndefined ? dtypeOf(options.format) : dtype;
    const auto shapeOf = [&options] {
        std::vector<py::ssize_t> shape;
        for (const uint32_t* const extent : axesOf(options))
            shape.push_back(*extent);
        shape.push_back(options.channels);
        return shape;
    };
    const py::object noShape = data.is_none() ? py::object(toTuple(shapeOf())) : py::none();
    const Contents contents(data, noShape, chosen, keepsDtype, cast);
    if (!given.sized() && !data.is_none())
        takeShape(options, contents.shape);
    else if (options.channels == 0)
        options.channels = channelsOf(options.format);
    requireExtents(options);
    if (options.format == Format::eUndefined)
        options.format = formatOf(contents.type, options.channels);
    if (options.format != Format::eUndefined && dataTypeOf(options.format) != contents.type)
        throw py::value_error(formatted(
            "an image of format \"{}\" holds {}, not {}; leave dtype out, or convert the data",
            toString(options.format), nameOf(dtypeOf(options.format)), nameOf(contents.dtype)));
    void* const source = contents.data();
    const size_t elements = source ? static_cast<size_t>(contents.array.size()) : 0;
    return newMemory<ImageHandle>(manager, contents.dtype, shapeOf(), [&](Manager& maker) {
        return maker.image(options, source, elements);
    });
}

void bindImageMaker(Classes& classes, const char* name, bool keepsDtype, const char* elements) {
    const char* const start = doc(R"(
        An image that shaders load, store and sample. Without extents, `data` has shape (height,
        width) or (height, width, channels): pictures of three channels have a fourth one, of 1, on
        the device alone.

        `image_type` is "2d", "1d", "3d", "1d_array" or "2d_array"; depth or layers are the first
        axis of the data. `format` is a name such as "rgba8unorm" or "R8G8B8A8_UNORM", and decides
        the dtype: unorm and snorm formats are numbers from 0 or -1 to 1 in shaders, srgb formats
        are converted to linear light when they are sampled. `usage` is "storage", "sampled",
        "storage_and_sampled" or, by default, all that the device supports for the format. `tiling`
        is "optimal" or "linear".)");
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, uint32_t width, uint32_t height,
                     uint32_t channels, const py::object& memoryType, const std::string& tiling,
                     const py::object& dtype, const py::object& tensorType, bool cast,
                     const std::string& format, const std::string& type, uint32_t depth,
                     uint32_t layers, const std::string& usage) {
            return makeImage(self, data,
                             {width, height, channels, depth, layers, format, type, usage, tiling,
                              eitherType(memoryType, tensorType)},
                             dtype, keepsDtype, cast);
        },
        "data"_a = py::none(), "width"_a = 0, "height"_a = 0, "num_channels"_a = 0,
        "memory_type"_a = Memory::MemoryTypes::eDevice, py::kw_only(), "tiling"_a = "",
        "dtype"_a = py::none(), "tensor_type"_a = py::none(), "cast"_a = false, "format"_a = "",
        "image_type"_a = "2d", "depth"_a = 0, "layers"_a = 0, "usage"_a = "auto",
        formatted("{}\n\n{}", start, elements).c_str());
}

Image& imageIn(py::handle self) {
    return *handleOf<MemoryHandle>(self).image();
}

} // namespace

void bindImage(Classes& classes) {
    Members(classes.image, imageIn)
        .property("width", &Image::getX, "Texels in a row.")
        .property("height", &Image::getY, "Rows.")
        .property("num_channels", &Image::getNumChannels, "Channels of a texel.")
        .property(
            "depth", [](const Image& image) { return image.getOptions().depth; },
            "Slices; 1 unless the image_type is \"3d\".")
        .property(
            "layers", [](const Image& image) { return image.getOptions().layers; },
            "Images in an array of them; 1 in others.")
        .property(
            "format", [](const Image& image) { return toString(image.getOptions().format); },
            "Vulkan's name of the format on the device: \"R8G8B8A8_UNORM\".")
        .property(
            "image_type",
            [](const Image& image) { return nameIn(kImageTypes, image.getOptions().type); },
            "\"1d\", \"2d\", \"3d\", \"1d_array\" or \"2d_array\".")
        .property(
            "usage",
            [](const Image& image) { return nameIn(kImageUsages, image.getOptions().usage); },
            "\"storage\", \"sampled\" or \"storage_and_sampled\".");
    bindImageMaker(classes, "image", false, doc(R"(
        Channels are float32 regardless of `data`, as in Kompute, or the type of `format` or
        `dtype`; image_t() has NumPy's rule.)"));
    bindImageMaker(classes, "image_t", true,
                   "Channels have the type of `data`, or of `format` or `dtype`.");
}

} // namespace kp::python
