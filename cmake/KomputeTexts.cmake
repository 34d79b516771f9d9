# SPDX-License-Identifier: Apache-2.0
#
# kompute_add_texts(<target> NAMESPACE <a::b> SOURCES <file>...)
#
# Hands files to C++: for a text Foo.glsl, <target> can include <Foo.glsl.hpp>, which defines
# constexpr std::string_view <namespace>::FOO_GLSL, and a struct FooPush if the text declares push
# constants (see KomputePushStruct.cmake). For a module Foo.spv, <Foo.spv.hpp> defines
# const std::array<uint32_t, N> <namespace>::FOO_SPV.

include_guard(GLOBAL)
include(KomputeShaders)

function(kompute_add_texts _target)
    cmake_parse_arguments(PARSE_ARGV 1 _arg "" "NAMESPACE" "SOURCES")
    set(_folder "${CMAKE_CURRENT_BINARY_DIR}/kompute_texts/${_target}")
    file(MAKE_DIRECTORY "${_folder}")
    set(_headers "")
    foreach(_file IN LISTS _arg_SOURCES)
        get_filename_component(_source "${_file}" ABSOLUTE)
        get_filename_component(_name "${_source}" NAME)
        string(MAKE_C_IDENTIFIER "${_name}" _variable)
        string(TOUPPER "${_variable}" _variable)
        set(_script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KomputeTextToHeader.cmake")
        if(_name MATCHES "\\.spv$")
            set(_script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KomputeSpirvToHeader.cmake")
        endif()
        add_custom_command(
            OUTPUT "${_folder}/${_name}.hpp"
            COMMAND "${CMAKE_COMMAND}" "-DKOMPUTE_INPUT=${_source}"
                "-DKOMPUTE_OUTPUT=${_folder}/${_name}.hpp" "-DKOMPUTE_VARIABLE=${_variable}"
                "-DKOMPUTE_NAMESPACE=${_arg_NAMESPACE}" -P "${_script}"
            DEPENDS "${_source}" "${_script}"
                "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KomputePushStruct.cmake"
            COMMENT "Writing ${_name} as a header"
            VERBATIM)
        list(APPEND _headers "${_folder}/${_name}.hpp")
    endforeach()
    _kompute_depend_on_headers("${_target}" ${_headers})
    get_target_property(_type "${_target}" TYPE)
    if(_type STREQUAL "INTERFACE_LIBRARY")
        target_include_directories("${_target}" INTERFACE "$<BUILD_INTERFACE:${_folder}>")
    else()
        target_include_directories("${_target}" PRIVATE "$<BUILD_INTERFACE:${_folder}>")
    endif()
endfunction()
