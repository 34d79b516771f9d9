# SPDX-License-Identifier: Apache-2.0
#
# Fetches dependencies that are not installed.

include(FetchContent)

# Reports the commit that was fetched, and refuses any but KOMPUTE_COMMIT_<name>. Files that the
# builder provides (FETCHCONTENT_SOURCE_DIR_<NAME>) are the builder's responsibility.
function(kompute_check_commit name folder)
    string(TOUPPER "${name}" upper)
    if(FETCHCONTENT_SOURCE_DIR_${upper})
        return()
    endif()
    find_package(Git QUIET)
    execute_process(
        COMMAND "${GIT_EXECUTABLE}" rev-parse HEAD
        WORKING_DIRECTORY "${folder}"
        OUTPUT_VARIABLE commit
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    message(STATUS "kompute: ${name} is commit ${commit}")
    if(KOMPUTE_COMMIT_${name} AND NOT commit STREQUAL KOMPUTE_COMMIT_${name})
        message(FATAL_ERROR "${name} is commit '${commit}', but KOMPUTE_COMMIT_${name} asks for "
                            "'${KOMPUTE_COMMIT_${name}}', all 40 digits. Remove its folder in "
                            "_deps and try again, or correct the id.")
    endif()
endfunction()

# kompute_fetch(<name> <repository> <tag> [FetchContent options]...)
#
# Makes a static build of a dependency available without adding to what gets installed. Releases
# are pinned by tag. With KOMPUTE_COMMIT_<name>, that commit is fetched instead, and git itself
# compares its content with the id. With FETCHCONTENT_SOURCE_DIR_<NAME>, nothing is fetched.
function(kompute_fetch name repository tag)
    string(TOUPPER "${name}" upper)
    set(given "${FETCHCONTENT_SOURCE_DIR_${upper}}")
    if(NOT KOMPUTE_OPT_FETCH AND NOT given)
        message(FATAL_ERROR "${name} is not installed, and KOMPUTE_OPT_FETCH is off. "
                            "Install it (scripts/setup.sh does) or allow fetching.")
    endif()
    set(shallow ON)
    if(KOMPUTE_COMMIT_${name})
        if(NOT KOMPUTE_COMMIT_${name} MATCHES "^[0-9a-f][0-9a-f]+$")
            message(FATAL_ERROR "KOMPUTE_COMMIT_${name} is '${KOMPUTE_COMMIT_${name}}', which is "
                                "not the id of a commit. Give all of its hexadecimal digits.")
        endif()
        set(tag "${KOMPUTE_COMMIT_${name}}")
        set(shallow OFF)
    endif()
    if(given)
        message(STATUS "kompute: building ${name} from ${given}")
    else()
        message(STATUS "kompute: ${name} is not installed, fetching ${tag}")
    endif()
    set(BUILD_SHARED_LIBS OFF)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
    FetchContent_Declare(${name} GIT_REPOSITORY "${repository}" GIT_TAG ${tag}
                         GIT_SHALLOW ${shallow} ${ARGN})
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
        FetchContent_MakeAvailable(${name})
        kompute_check_commit(${name} "${${name}_SOURCE_DIR}")
    endif()
    set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

# As kompute_fetch, for a project of which only the files are wanted.
function(kompute_fetch_files name repository tag)
    kompute_fetch(${name} ${repository} ${tag} SOURCE_SUBDIR none ${ARGN})
    set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()
