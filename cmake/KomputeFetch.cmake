# SPDX-License-Identifier: Apache-2.0
#
# Fetches dependencies that are not installed.

include(FetchContent)

# Reports the commit that was fetched, and refuses any but the one that was asked for: a folder from
# an earlier configuration may have another. Files that the builder provides
# (FETCHCONTENT_SOURCE_DIR_<NAME>) are the builder's responsibility.
function(kompute_check_commit name folder wanted)
    string(TOUPPER "${name}" upper)
    if(FETCHCONTENT_SOURCE_DIR_${upper})
        return()
    endif()
    execute_process(
        COMMAND "${GIT_EXECUTABLE}" rev-parse HEAD
        WORKING_DIRECTORY "${folder}"
        OUTPUT_VARIABLE commit
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    message(STATUS "kompute: ${name} is commit ${commit}")
    if(wanted AND NOT commit STREQUAL wanted)
        message(FATAL_ERROR "${name} is commit '${commit}', but '${wanted}' was asked for. Remove its "
                            "folder in _deps and try again, or correct KOMPUTE_COMMIT_${name}.")
    endif()
endfunction()

# kompute_fetch(<name> <repository> <tag> [COMMIT <id>] [FetchContent options]...)
#
# Makes a static build of a dependency available without adding to what gets installed. If a commit is
# named, here or by KOMPUTE_COMMIT_<name>, it is fetched even if the tag has moved, and git compares
# its content with the id. With FETCHCONTENT_SOURCE_DIR_<NAME>, nothing is fetched.
function(kompute_fetch name repository tag)
    cmake_parse_arguments(PARSE_ARGV 3 arg "" "COMMIT" "")
    string(TOUPPER "${name}" upper)
    set(given "${FETCHCONTENT_SOURCE_DIR_${upper}}")
    if(NOT KOMPUTE_OPT_FETCH AND NOT given)
        message(FATAL_ERROR "${name} is not installed, and KOMPUTE_OPT_FETCH is off. "
                            "Install it (scripts/setup.sh does) or allow fetching.")
    endif()
    set(commit "${arg_COMMIT}")
    if(KOMPUTE_COMMIT_${name})
        set(commit "${KOMPUTE_COMMIT_${name}}")
    endif()
    string(LENGTH "${commit}" digits)
    if(commit AND NOT (commit MATCHES "^[0-9a-f]+$" AND digits EQUAL 40))
        message(FATAL_ERROR "KOMPUTE_COMMIT_${name} is '${commit}', which is not the id of a commit. "
                            "Give all of its 40 hexadecimal digits.")
    endif()
    if(given)
        message(STATUS "kompute: building ${name} from ${given}")
    else()
        find_package(Git QUIET)
        if(NOT GIT_FOUND)
            message(FATAL_ERROR "${name} is not installed, and git, which fetches it, is not either. "
                                "Install one of them.")
        endif()
        message(STATUS "kompute: ${name} is not installed, fetching ${tag} ${commit}")
    endif()
    set(revision "${commit}")
    if(NOT commit)
        set(revision "refs/tags/${tag}")
    endif()
    set(BUILD_SHARED_LIBS OFF)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
    set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
    # FetchContent's own way to a commit fetches the whole history.
    FetchContent_Declare(
        ${name}
        DOWNLOAD_COMMAND
            "${CMAKE_COMMAND}" "-DGIT=${GIT_EXECUTABLE}" "-DREPOSITORY=${repository}"
            "-DREVISION=${revision}" "-DFOLDER=<SOURCE_DIR>" -P
            "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KomputeFetchRevision.cmake"
        ${arg_UNPARSED_ARGUMENTS})
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
        FetchContent_MakeAvailable(${name})
        kompute_check_commit(${name} "${${name}_SOURCE_DIR}" "${commit}")
    endif()
    set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

# As kompute_fetch, for a project of which only the files are wanted.
function(kompute_fetch_files name repository tag)
    kompute_fetch(${name} ${repository} ${tag} SOURCE_SUBDIR none ${ARGN})
    set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
endfunction()
