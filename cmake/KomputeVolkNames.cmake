# SPDX-License-Identifier: Apache-2.0
#
# volk defines one global variable per Vulkan function. A host program that links the Vulkan
# loader, or volk itself, has globals of the same names. kompute_write_volk_names() writes a header
# that gives ours the prefix kp_; it must be included before volk.h, in every file that does.

function(kompute_write_volk_names volk_header output)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${volk_header}")
    file(READ "${volk_header}" text)
    string(REGEX MATCHALL "extern [A-Za-z_ ]*PFN_vk[A-Za-z0-9_]+ vk[A-Za-z0-9_]+" variables "${text}")
    string(REGEX MATCHALL "[ *]volk[A-Z][A-Za-z0-9]*\\(" functions "${text}")
    list(TRANSFORM variables REPLACE "^.* " "")
    list(TRANSFORM functions REPLACE "[ *(]" "")
    set(names ${variables} ${functions})
    list(REMOVE_DUPLICATES names)
    list(LENGTH names count)
    if(count LESS 100 OR NOT "volkInitialize" IN_LIST names OR NOT "vkCreateInstance" IN_LIST names)
        message(FATAL_ERROR "kompute: ${volk_header} does not look like volk's header "
                            "(found ${count} names in it)")
    endif()

    set(text "// Written by CMake from volk.h; not meant to be edited.\n#pragma once\n\n")
    foreach(name IN LISTS names)
        string(APPEND text "#define ${name} kp_${name}\n")
    endforeach()
    file(CONFIGURE OUTPUT "${output}" CONTENT "${text}" @ONLY)
endfunction()
