// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

namespace kp::python {
namespace {

constexpr Named<Filter> kFilters[] = {{"nearest", Filter::eNearest}, {"linear", Filter::eLinear}};

constexpr Named<AddressMode> kAddressModes[] = {{"repeat", AddressMode::eRepeat},
                                                {"mirrored_repeat", AddressMode::eMirroredRepeat},
                                                {"clamp_to_edge", AddressMode::eClampToEdge},
                                                {"clamp_to_border", AddressMode::eClampToBorder}};

constexpr Named<BorderColor> kBorders[] = {{"transparent_black", BorderColor::eTransparentBlack},
                                           {"opaque_black", BorderColor::eOpaqueBlack},
                                           {"opaque_white", BorderColor::eOpaqueWhite}};

/// Returns the address modes in x, y and z: one name for all, or three.
std::array<AddressMode, 3> toAddressModes(const py::object& address) {
    std::array<AddressMode, 3> modes{};
    if (PyUnicode_Check(address.ptr())) {
        modes.fill(valueNamed(kAddressModes, toText(address, "address"), "address"));
        return modes;
    }
    if (!PySequence_Check(address.ptr()) || PySequence_Size(address.ptr()) != 3)
        throwTypeError("address", "a name, or three of them", address);
    for (size_t i = 0; i < 3; ++i) {
        const py::object name = address[py::int_(i)];
        if (!PyUnicode_Check(name.ptr()))
            throwTypeError(formatted("address[{}]", i), "a name", name);
        modes[i] = valueNamed(kAddressModes, toText(name, "address"), "address");
    }
    return modes;
}

std::unique_ptr<SamplerHandle> makeSampler(py::handle self, const std::string& filter,
                                           const py::object& address, const std::string& border,
                                           bool integerBorder, bool unnormalizedCoordinates) {
    SamplerOptions options;
    options.filter = valueNamed(kFilters, filter, "filter");
    options.address = toAddressModes(address);
    options.border = valueNamed(kBorders, border, "border");
    options.integerBorder = integerBorder;
    options.unnormalizedCoordinates = unnormalizedCoordinates;
    const auto manager = sharedOf<ManagerHandle>(self);
    auto handle = std::make_unique<SamplerHandle>();
    handle->sampler = withoutGil(*manager, [&] { return manager->manager->sampler(options); });
    return handle;
}

const SamplerOptions& optionsOf(py::handle self) {
    return handleOf<SamplerHandle>(self).sampler->getOptions();
}

py::tuple addressOf(py::handle self) {
    py::tuple names(3);
    for (size_t i = 0; i < 3; ++i)
        names[i] = nameIn(kAddressModes, optionsOf(self).address[i]);
    return names;
}

} // namespace

std::vector<std::shared_ptr<Sampler>> toSamplers(py::handle samplers, const char* argument) {
    if (isA<SamplerHandle>(samplers))
        return {handleOf<SamplerHandle>(samplers, argument).sampler};
    if (!py::isinstance<py::iterable>(samplers))
        throwTypeError(argument, "a sampler or a list of samplers", samplers);
    std::vector<std::shared_ptr<Sampler>> all;
    for (const py::handle each : samplers) {
        const std::string name = formatted("{}[{}]", argument, all.size());
        if (!isA<SamplerHandle>(each))
            throwTypeError(name, "a sampler", each);
        all.push_back(handleOf<SamplerHandle>(each, name.c_str()).sampler);
    }
    return all;
}

void bindSampler(Classes& classes) {
    classes.manager.def("sampler", &makeSampler, py::kw_only(), "filter"_a = "linear",
                        "address"_a = "clamp_to_edge", "border"_a = "transparent_black",
                        "integer_border"_a = false, "unnormalized_coordinates"_a = false, doc(R"(
        A sampler, to be given to algorithms and kernels as `samplers`.

        `filter` is "linear" or "nearest". `address` chooses the value outside of the image:
        "repeat", "mirrored_repeat", "clamp_to_edge" or "clamp_to_border"; one name, or three for x,
        y and z. `border` is the colour of the last one: "transparent_black", "opaque_black" or
        "opaque_white", of integers with `integer_border`. With `unnormalized_coordinates`,
        coordinates are texels instead of 0 to 1.)"));
    classes.sampler
        .def_property_readonly(
            "filter", [](py::handle self) { return nameIn(kFilters, optionsOf(self).filter); },
            "\"linear\" or \"nearest\".")
        .def_property_readonly("address", &addressOf, "The address modes in x, y and z.")
        .def_property_readonly(
            "unnormalized_coordinates",
            [](py::handle self) { return optionsOf(self).unnormalizedCoordinates; },
            "True if coordinates are texels.")
        .def("__repr__", [](py::handle self) {
            return formatted("<kp.Sampler filter={} address={}>",
                             nameIn(kFilters, optionsOf(self).filter), reprOf(addressOf(self)));
        });
}

} // namespace kp::python
