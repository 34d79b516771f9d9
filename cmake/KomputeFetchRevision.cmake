# SPDX-License-Identifier: Apache-2.0
#
# Fetches one revision of a repository into a folder, without its history. KomputeFetch.cmake runs it:
#
#   cmake -DGIT=git -DREPOSITORY=<url> -DREVISION=<commit or reference> -DFOLDER=<folder> -P <this file>

# git_in_folder(<arguments of git>...)
function(git_in_folder)
    execute_process(COMMAND "${GIT}" ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "'git ${command}' ended with status ${status}, so ${REVISION} of "
                            "${REPOSITORY} was not fetched. Check the network and the revision, or "
                            "install the dependency.")
    endif()
endfunction()

# What an earlier revision left behind must not remain.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
git_in_folder(init --quiet)
git_in_folder(fetch --quiet --depth 1 --no-tags "${REPOSITORY}" "${REVISION}")
git_in_folder(-c advice.detachedHead=false checkout --quiet FETCH_HEAD)
