# SPDX-License-Identifier: Apache-2.0
#
# kompute_push_structs(<text> <source> <variable>)
#
# Makes C++ of the push constants that a GLSL text declares. For `layout(push_constant) uniform Push`
# in Foo.glsl, <variable> receives a struct FooPush with the same members, except for the words of
# views, which come first and are called first...; see primitives/plan/PushConstants.hpp. Members are
# the same in all variants of the text, so no #if is among them. An array whose length is a macro
# comes last; C++ appends its elements.

# Reads lines such as "uint count; // comment" into C++, and into entries of a table of them.
function(_kompute_push_members _body _source _variable)
    string(REGEX REPLACE "//[^\n]*" "" _lines "${_body}")
    string(REPLACE ";" "" _lines "${_lines}")
    string(REPLACE "[" "<" _lines "${_lines}")
    string(REPLACE "]" ">" _lines "${_lines}")
    string(REPLACE "\n" ";" _lines "${_lines}")
    set(_members "")
    set(_table "")
    set(_depth 0)
    set(_open "")
    foreach(_line IN LISTS _lines)
        string(STRIP "${_line}" _line)
        if(_line STREQUAL "")
            continue()
        elseif(_line MATCHES "^#if")
            math(EXPR _depth "${_depth} + 1")
            set(_conditional "${_line}")
        elseif(_line MATCHES "^#endif")
            math(EXPR _depth "${_depth} - 1")
        elseif(_line MATCHES "^#")
            continue()
        elseif(_line MATCHES "^uint first([A-Z][A-Za-z]*)?$" AND _members STREQUAL "")
            continue()
        elseif(NOT _line MATCHES "^([A-Za-z]+) ([A-Za-z]+)(<([0-9A-Z_]+)>)?$" OR NOT _open STREQUAL "")
            message(FATAL_ERROR "${_source}: cannot read the push constant '${_line}'; expected "
                "'type name' or 'type name[length]', and an array of any length last")
        else()
            set(_type "${CMAKE_MATCH_1}")
            set(_name "${CMAKE_MATCH_2}")
            set(_length "${CMAKE_MATCH_4}")
            if(_depth GREATER 0)
                message(FATAL_ERROR "${_source}: the push constant '${_name}' is in '${_conditional}'; "
                    "expected the same members in all variants: declare it in all, or a block each")
            endif()
            set(_made "${_type}")
            if(_type STREQUAL "uint")
                set(_made "std::uint32_t")
            endif()
            if(_length MATCHES "^[A-Z]")
                set(_open "${_type}")
                continue()
            elseif(_length)
                set(_made "std::array<${_made}, ${_length}>")
            endif()
            string(APPEND _members "    primitives::Given<${_made}> ${_name};\n")
            string(APPEND _table "\n        {\"${_name}\", \"${_type}\", sizeof(${_made})},")
        endif()
        if(_line MATCHES "^#if" AND NOT _members STREQUAL "")
            message(FATAL_ERROR "${_source}: '${_line}' is behind the push constants of views; "
                "expected the same members in all variants")
        endif()
    endforeach()
    set(${_variable} "${_members}" PARENT_SCOPE)
    set(${_variable}_TABLE "${_table}" PARENT_SCOPE)
    set(${_variable}_OPEN "${_open}" PARENT_SCOPE)
endfunction()

function(kompute_push_structs _text _source _variable)
    get_filename_component(_stem "${_source}" NAME_WE)
    set(_structs "")
    set(_rest "${_text}")
    set(_block "layout.push_constant. uniform ([A-Za-z]+) {([^}]*)}")
    while(_rest MATCHES "${_block}")
        set(_name "${_stem}${CMAKE_MATCH_1}")
        set(_body "${CMAKE_MATCH_2}")
        string(FIND "${_rest}" "${CMAKE_MATCH_0}" _at)
        math(EXPR _at "${_at} + 1")
        string(SUBSTRING "${_rest}" ${_at} -1 _rest)
        _kompute_push_members("${_body}" "${_source}" _members)
        set(_element "")
        if(_members_OPEN)
            if(NOT _text MATCHES "struct ${_members_OPEN} {([^}]*)}")
                message(FATAL_ERROR "${_source}: has no struct ${_members_OPEN}")
            endif()
            set(_open "${_members_OPEN}")
            _kompute_push_members("${CMAKE_MATCH_1}" "${_source}" _inner)
            string(REPLACE "\n    " "\n        " _inner "    ${_inner}")
            string(STRIP "${_inner}" _inner)
            set(_element "    struct ${_open} {\n        ${_inner}\n    };\n")
        endif()
        string(APPEND _structs
"
struct ${_name} {
${_element}${_members}
    static constexpr primitives::PushMember kMembers[] = {${_members_TABLE}
    };
};
")
    endwhile()
    set(${_variable} "${_structs}" PARENT_SCOPE)
endfunction()
