# SPDX-License-Identifier: Apache-2.0
#
# Compiles shaders to SPIR-V while a project is built, and hands them to C++ as headers.
# Needs glslangValidator (Debian: glslang-tools) and nothing else, no Python and not Kompute
# itself. KOMPUTE_GLSLANG_VALIDATOR names the program, or the CMake target that builds it.
#
#   kompute_add_shaders(<target> SOURCES <file>...
#       [NAMESPACE <a::b>]          namespace of the arrays, default "shaders"
#       [VARIABLE_PREFIX <text>]    put before each array's name
#       [INCLUDE_DIRS <folder>...]  searched for #include, after the folder of the shader
#       [DEFINES <NAME[=VALUE]>...]
#       [TARGET_ENV <vulkan1.x>]    default vulkan1.1
#       [OPTIONS <option>...]       for glslangValidator
#       [PUBLIC]                    also targets that link <target> may include the headers
#       [HEADERS_VARIABLE <name>]   receives the list of generated headers
#   )
#
# For each source foo.comp, <target> can then
#
#   #include "foo.hpp"   // const std::array<uint32_t, N> <namespace>::FOO_COMP_SPV
#
# A name's other signs than letters and digits become '_'. The headers lie in the build folder.
# An edit of a shader or of a file it includes rebuilds what depends on it. A shader that includes
# files says `#extension GL_GOOGLE_include_directive : require`, as glslangValidator wants.
# "kompute/index.glsl", with kp_index(), is found after the folders given. Names stand in quotes:
# glslangValidator does not look for those in angle brackets.
# *.hlsl files are taken as HLSL with the entry point `main`.
#
#   vulkan_compile_shader(INFILE <file> OUTFILE <header> [NAMESPACE <name>] [TARGET <target>])
#
# is the same for one shader under the original Kompute's name. OUTFILE is written below
# CMAKE_CURRENT_BINARY_DIR, which every target of the current folder may include from. List
# OUTFILE among the sources of the target that uses it, or name that target with TARGET.
# RELATIVE_PATH is accepted and not needed.

include_guard(GLOBAL)
cmake_policy(VERSION 3.22)

# The source tree's folder, unless the package has said where its own is.
if(NOT KOMPUTE_SHADER_INCLUDE_DIR)
    get_filename_component(KOMPUTE_SHADER_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
endif()
set_property(GLOBAL PROPERTY _KOMPUTE_SHADER_INCLUDE_DIR "${KOMPUTE_SHADER_INCLUDE_DIR}")

function(_kompute_find_glslang)
    if(TARGET "${KOMPUTE_GLSLANG_VALIDATOR}")
        set_property(GLOBAL PROPERTY _KOMPUTE_GLSLANG_OPTIONS "--quiet --depfile")
        return()
    endif()
    find_program(KOMPUTE_GLSLANG_VALIDATOR NAMES glslangValidator glslang
        HINTS "$ENV{VULKAN_SDK}/bin" "$ENV{VULKAN_SDK}/Bin"
        DOC "Compiler from GLSL and HLSL to SPIR-V")
    if(NOT KOMPUTE_GLSLANG_VALIDATOR)
        message(FATAL_ERROR "glslangValidator was not found, and shaders cannot be compiled "
            "without it. Install it (Debian and Ubuntu: glslang-tools), or set "
            "KOMPUTE_GLSLANG_VALIDATOR to its path.")
    endif()
    get_property(_known GLOBAL PROPERTY _KOMPUTE_GLSLANG_OPTIONS SET)
    if(NOT _known)
        execute_process(COMMAND "${KOMPUTE_GLSLANG_VALIDATOR}" --help
            OUTPUT_VARIABLE _help ERROR_VARIABLE _help)
        set(_options "")
        foreach(_option IN ITEMS --quiet --depfile)
            string(FIND "${_help}" "${_option}" _at)
            if(NOT _at EQUAL -1)
                string(APPEND _options " ${_option}")
            endif()
        endforeach()
        set_property(GLOBAL PROPERTY _KOMPUTE_GLSLANG_OPTIONS "${_options}")
    endif()
endfunction()

# The array's name for a shader file: foo.comp -> FOO_COMP_SPV.
function(_kompute_shader_variable _file _result)
    get_filename_component(_name "${_file}" NAME)
    string(MAKE_C_IDENTIFIER "${_name}" _identifier)
    string(TOUPPER "${_identifier}_SPV" _identifier)
    set(${_result} "${_identifier}" PARENT_SCOPE)
endfunction()

# Adds the two build steps source -> SPIR-V -> header.
function(_kompute_compile_shader _source _header _namespace _variable _environment _flags)
    _kompute_find_glslang()
    get_property(_options GLOBAL PROPERTY _KOMPUTE_GLSLANG_OPTIONS)
    get_property(_own GLOBAL PROPERTY _KOMPUTE_SHADER_INCLUDE_DIR)
    if(EXISTS "${_own}/kompute/index.glsl")
        list(APPEND _flags "-I${_own}")
    endif()
    get_filename_component(_folder "${_header}" DIRECTORY)
    get_filename_component(_name "${_source}" NAME)
    set(_spirv "${_folder}/${_name}.spv")
    file(MAKE_DIRECTORY "${_folder}")

    set(_command "${KOMPUTE_GLSLANG_VALIDATOR}" -V -S comp --target-env "${_environment}")
    if(_source MATCHES "\\.[hH][lL][sS][lL]$")
        list(APPEND _command -D -e main)
    endif()
    if(_options MATCHES "--quiet")
        list(APPEND _command --quiet)
    endif()
    list(APPEND _command ${_flags} -o "${_spirv}")
    # The dependency files of glslang do not escape blanks.
    set(_depfile "")
    if(_options MATCHES "--depfile" AND NOT "${_spirv}${_source}${_flags}" MATCHES " ")
        list(APPEND _command --depfile "${_spirv}.d")
        set(_depfile DEPFILE "${_spirv}.d")
    endif()
    add_custom_command(
        OUTPUT "${_spirv}"
        COMMAND ${_command} "${_source}"
        DEPENDS "${_source}"
        ${_depfile}
        COMMENT "Compiling shader ${_name}"
        VERBATIM)

    set(_script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KomputeSpirvToHeader.cmake")
    add_custom_command(
        OUTPUT "${_header}"
        COMMAND "${CMAKE_COMMAND}" "-DKOMPUTE_INPUT=${_spirv}" "-DKOMPUTE_OUTPUT=${_header}"
            "-DKOMPUTE_VARIABLE=${_variable}" "-DKOMPUTE_NAMESPACE=${_namespace}" -P "${_script}"
        DEPENDS "${_spirv}" "${_script}"
        COMMENT "Writing ${_name}.spv as a header"
        VERBATIM)
endfunction()

# A custom target that makes the headers, and that _target waits for.
function(_kompute_depend_on_headers _target)
    get_property(_count GLOBAL PROPERTY _KOMPUTE_SHADER_TARGETS)
    math(EXPR _count "0${_count} + 1")
    set_property(GLOBAL PROPERTY _KOMPUTE_SHADER_TARGETS "${_count}")
    add_custom_target("${_target}_shaders_${_count}" DEPENDS ${ARGN})
    add_dependencies("${_target}" "${_target}_shaders_${_count}")
endfunction()

function(_kompute_check_shader _function _source)
    get_source_file_property(_generated "${_source}" GENERATED)
    if(NOT _generated AND NOT EXISTS "${_source}")
        message(FATAL_ERROR "${_function}: there is no file ${_source}")
    endif()
endfunction()

function(kompute_add_shaders _target)
    cmake_parse_arguments(PARSE_ARGV 1 _arg "PUBLIC"
        "NAMESPACE;VARIABLE_PREFIX;TARGET_ENV;HEADERS_VARIABLE"
        "SOURCES;INCLUDE_DIRS;DEFINES;OPTIONS")
    if(_arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "kompute_add_shaders: unknown arguments ${_arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT TARGET "${_target}")
        message(FATAL_ERROR "kompute_add_shaders: ${_target} is not a target; call it after "
            "add_library or add_executable")
    endif()
    if(NOT _arg_SOURCES)
        message(FATAL_ERROR "kompute_add_shaders: no SOURCES were given for ${_target}")
    endif()
    get_target_property(_original "${_target}" ALIASED_TARGET)
    if(_original)
        set(_target "${_original}")
    endif()
    if(NOT _arg_NAMESPACE)
        set(_arg_NAMESPACE shaders)
    endif()
    if(NOT _arg_TARGET_ENV)
        set(_arg_TARGET_ENV vulkan1.1)
    endif()
    set(_flags "")
    foreach(_folder IN LISTS _arg_INCLUDE_DIRS)
        get_filename_component(_folder "${_folder}" ABSOLUTE)
        list(APPEND _flags "-I${_folder}")
    endforeach()
    foreach(_define IN LISTS _arg_DEFINES)
        list(APPEND _flags "-D${_define}")
    endforeach()
    list(APPEND _flags ${_arg_OPTIONS})

    set(_folder "${CMAKE_CURRENT_BINARY_DIR}/kompute_shaders/${_target}")
    set(_headers "")
    foreach(_file IN LISTS _arg_SOURCES)
        get_filename_component(_source "${_file}" ABSOLUTE)
        _kompute_check_shader(kompute_add_shaders "${_source}")
        get_filename_component(_name "${_source}" NAME_WLE)
        set(_header "${_folder}/${_name}.hpp")
        get_property(_taken TARGET "${_target}" PROPERTY KOMPUTE_SHADER_HEADERS)
        if(_header IN_LIST _taken)
            message(FATAL_ERROR "kompute_add_shaders: two shaders of ${_target} would both be "
                "written to ${_name}.hpp; rename ${_file}")
        endif()
        set_property(TARGET "${_target}" APPEND PROPERTY KOMPUTE_SHADER_HEADERS "${_header}")
        _kompute_shader_variable("${_source}" _variable)
        _kompute_compile_shader("${_source}" "${_header}" "${_arg_NAMESPACE}"
            "${_arg_VARIABLE_PREFIX}${_variable}" "${_arg_TARGET_ENV}" "${_flags}")
        list(APPEND _headers "${_header}")
    endforeach()
    _kompute_depend_on_headers("${_target}" ${_headers})

    get_target_property(_type "${_target}" TYPE)
    if(_type STREQUAL "INTERFACE_LIBRARY")
        set(_scope INTERFACE)
    elseif(_arg_PUBLIC)
        set(_scope PUBLIC)
    else()
        set(_scope PRIVATE)
    endif()
    target_include_directories("${_target}" ${_scope} "$<BUILD_INTERFACE:${_folder}>")
    if(_arg_HEADERS_VARIABLE)
        set(${_arg_HEADERS_VARIABLE} "${_headers}" PARENT_SCOPE)
    endif()
endfunction()

function(vulkan_compile_shader)
    cmake_parse_arguments(PARSE_ARGV 0 _arg "" "INFILE;OUTFILE;NAMESPACE;RELATIVE_PATH;TARGET" "")
    foreach(_name IN ITEMS INFILE OUTFILE)
        if(NOT _arg_${_name})
            message(FATAL_ERROR "vulkan_compile_shader: ${_name} is missing")
        endif()
    endforeach()
    if(_arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "vulkan_compile_shader: unknown arguments ${_arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT _arg_NAMESPACE)
        set(_arg_NAMESPACE shader)
    endif()
    get_filename_component(_source "${_arg_INFILE}" ABSOLUTE)
    _kompute_check_shader(vulkan_compile_shader "${_source}")
    get_filename_component(_header "${_arg_OUTFILE}" ABSOLUTE
        BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    _kompute_shader_variable("${_source}" _variable)
    _kompute_compile_shader("${_source}" "${_header}" "${_arg_NAMESPACE}" "${_variable}"
        vulkan1.1 "")
    get_filename_component(_folder "${_header}" DIRECTORY)
    include_directories("${CMAKE_CURRENT_BINARY_DIR}" "${_folder}")
    if(_arg_TARGET)
        _kompute_depend_on_headers("${_arg_TARGET}" "${_header}")
        target_include_directories("${_arg_TARGET}" INTERFACE
            "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}>")
    endif()
endfunction()
