# What every target shares: warnings, the language subset, and a helper that makes one library of one folder.

add_library(sardonyx_compile INTERFACE)
target_include_directories(sardonyx_compile INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(sardonyx_compile INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${SARDONYX_WERROR}>:-Werror>)
# Nothing here needs RTTI: it costs bytes in every class with virtual functions (docs/PERFORMANCE.md, "Size").
target_compile_options(sardonyx_compile INTERFACE -fno-rtti)
# A fused multiply-add that the compiler makes on its own would give natively other results than in wasm.
target_compile_options(sardonyx_compile INTERFACE -ffp-contract=off)

# sardonyx_library(NAME FOLDER DEPENDENCY...): the static library of FOLDER/**/*.cpp; header-only while there is none.
# The .cpp files named `EXCEPT regex` are left out.
function(sardonyx_library name folder)
  cmake_parse_arguments(arg "" "EXCEPT" "" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC sardonyx_compile ${arg_UNPARSED_ARGUMENTS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE sardonyx_compile ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()
