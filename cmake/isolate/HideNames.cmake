# SPDX-License-Identifier: Apache-2.0
#
# Copies the relocatable object INPUT to OUTPUT and makes every name local that is neither part of
# namespace kp nor of <kompute/program.h>. Uses NM and OBJCOPY.

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "failed: ${ARGN}")
    endif()
endfunction()

# "Unique" names cannot be made local before they have been made weak.
run("${NM}" --defined-only "${INPUT}" OUTPUT_FILE "${OUTPUT}.names")
file(STRINGS "${OUTPUT}.names" names REGEX " u [^ ]+$")
list(TRANSFORM names REPLACE "^.* u " "")
list(JOIN names "\n" text)
file(WRITE "${OUTPUT}.unique" "${text}\n")
run("${OBJCOPY}" "--weaken-symbols=${OUTPUT}.unique" "${INPUT}" "${OUTPUT}")
run("${OBJCOPY}" --wildcard --localize-hidden "--keep-global-symbol=*N2kp*"
    "--keep-global-symbol=*NK2kp*" "--keep-global-symbol=kp_*" "${OUTPUT}")
