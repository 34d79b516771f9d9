# SPDX-License-Identifier: Apache-2.0
#
# Flags that make faults in memory harder to exploit. GCC and Clang; MSVC has its own by default.

include(CheckCXXCompilerFlag)

# kompute_harden_objects(<target>...)
#
# Stack protector, checked string functions and, on processors that have it, control-flow integrity
# (Intel CET, Arm BTI and PAC). KOMPUTE_OPT_HARDEN=OFF leaves them out.
function(kompute_harden_objects)
    if(MSVC OR NOT KOMPUTE_OPT_HARDEN OR KOMPUTE_OPT_SANITIZE)
        return()
    endif()
    set(flags -fstack-protector-strong)
    check_cxx_compiler_flag(-fcf-protection=full KOMPUTE_HAS_CF_PROTECTION)
    check_cxx_compiler_flag(-mbranch-protection=standard KOMPUTE_HAS_BRANCH_PROTECTION)
    if(KOMPUTE_HAS_CF_PROTECTION)
        list(APPEND flags -fcf-protection=full)
    elseif(KOMPUTE_HAS_BRANCH_PROTECTION)
        list(APPEND flags -mbranch-protection=standard)
    endif()
    # The checked functions need an optimizer. Distributions may define another level themselves.
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${flags} $<$<NOT:$<CONFIG:Debug>>:${fortify}>)
    endforeach()
    if(MINGW)
        # Links the library in which mingw-w64 has the checks (libssp), if it is one of its own.
        target_link_libraries(kompute_private INTERFACE -fstack-protector-strong)
    endif()
endfunction()

# kompute_harden_shared(<target>)
#
# Makes the tables that the dynamic linker fills read-only before the program starts.
function(kompute_harden_shared target)
    if(UNIX AND NOT APPLE AND KOMPUTE_OPT_HARDEN)
        target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    endif()
endfunction()
