# Native builds: tests, fuzzing and benchmarks of the same sources, with SIMDe in place of wasm's SIMD.

find_path(SIMDE_INCLUDE_DIR simde/wasm/simd128.h)
if(NOT SIMDE_INCLUDE_DIR)
  message(FATAL_ERROR "SIMDe is missing (Debian: apt-get install libsimde-dev)")
endif()
target_include_directories(sardonyx_compile SYSTEM INTERFACE ${SIMDE_INCLUDE_DIR})

# SIMDe maps a v128 operation to one or two SSE instructions only when it may use SSE4.1; aarch64 needs no flag.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  target_compile_options(sardonyx_compile INTERFACE -msse4.1)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(SARDONYX_KERNEL_OPTIONS $<$<CONFIG:Release>:-O3>)
# -O1: sanitized code is unbearably slow at -O0, and hard to debug above -O1. Line tables are what a report needs, and
# compile faster than full debug information.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only -fno-omit-frame-pointer")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(sardonyx_compile INTERFACE Threads::Threads)

if(SARDONYX_SANITIZE)
  # vptr needs RTTI. The first finding ends the program, so that no test passes over it.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  target_compile_options(sardonyx_compile INTERFACE ${sanitize})
  target_link_options(sardonyx_compile INTERFACE ${sanitize})
endif()
