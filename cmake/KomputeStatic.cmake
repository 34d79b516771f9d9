# SPDX-License-Identifier: Apache-2.0
#
# A static libkompute must be usable alone, although it is made of seven projects, and must not
# clash with a program that links one of them (say, another glslang). So the objects and what they
# need from their dependencies are linked into one relocatable object, in which every name outside
# namespace kp is then made local. Its sections stay apart, so that the linker of a program, which
# gets --gc-sections, can leave out what the program does not use: the shader compiler, above all.
#
# This needs GNU-style binary tools, and neither link-time optimization nor sanitizers. Elsewhere
# the static library is an ordinary one: usable inside the same CMake build, but not installable.

function(kompute_can_isolate result)
    set(${result} OFF PARENT_SCOPE)
    if(NOT UNIX OR APPLE OR NOT CMAKE_OBJCOPY OR NOT CMAKE_NM OR KOMPUTE_OPT_SANITIZE
       OR CMAKE_INTERPROCEDURAL_OPTIMIZATION OR CMAKE_CXX_FLAGS MATCHES "-flto|-fsanitize")
        return()
    endif()
    if(NOT DEFINED KOMPUTE_RELOCATABLE_OPTIONS)
        set(folder "${PROJECT_BINARY_DIR}/CMakeFiles/kompute-relocatable")
        file(WRITE "${folder}/empty.cpp" "inline int one() { return 1; }\nint (*two)() = one;\n")
        set(options -r -nostdlib -Wl,--force-group-allocation)
        set(unmerged "")
        foreach(name IN ITEMS .text .rodata .data .bss .gcc_except_table)
            list(APPEND unmerged "-Wl,--unique=${name}*")
        endforeach()
        set(KOMPUTE_RELOCATABLE_OPTIONS "" CACHE INTERNAL "")
        # Not every linker can keep sections of one name apart.
        foreach(more IN ITEMS "${unmerged}" "-Wl,--unique" "")
            execute_process(
                COMMAND "${CMAKE_CXX_COMPILER}" ${options} ${more} "${folder}/empty.cpp" -o
                        "${folder}/empty.o"
                RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
            if(NOT failed)
                set(KOMPUTE_RELOCATABLE_OPTIONS ${options} ${more} CACHE INTERNAL "")
                break()
            endif()
        endforeach()
    endif()
    if(KOMPUTE_RELOCATABLE_OPTIONS)
        set(${result} ON PARENT_SCOPE)
    endif()
endfunction()

# kompute_add_static_library(<target> <objects> <private interface library>)
function(kompute_add_static_library target objects private)
    kompute_can_isolate(isolate)
    set(KOMPUTE_STATIC_IS_SELF_CONTAINED ${isolate} PARENT_SCOPE)
    if(NOT isolate)
        add_library(${target} STATIC ${objects})
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${private}>)
        return()
    endif()

    # A folder of its own, where flags meant for executables do not reach.
    add_subdirectory("${PROJECT_SOURCE_DIR}/cmake/isolate" 
                     "${PROJECT_BINARY_DIR}/isolate/${target}")
    set(object "${PROJECT_BINARY_DIR}/isolate/${target}.o")
    set(script "${PROJECT_SOURCE_DIR}/cmake/isolate/HideNames.cmake")
    add_custom_command(
        OUTPUT "${object}"
        COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DOBJCOPY=${CMAKE_OBJCOPY}"
                "-DINPUT=$<TARGET_FILE:${target}_relocatable>" "-DOUTPUT=${object}" -P "${script}"
        DEPENDS ${target}_relocatable "${script}"
        COMMENT "Hiding the names of ${target}'s dependencies"
        VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${target} STATIC "${object}")
    target_link_libraries(${target} INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${target} INTERFACE -Wl,--gc-sections)
endfunction()
