# protobuf-lite for wasm: finds its sources, and compiles them with our flags unless the cache has that already.
#
# SARDONYX_PROTOBUF_URL is where a machine without apt downloads them from; their hash is checked either way.
# SARDONYX_CACHE (environment) is the cache, outside the clone; default $XDG_CACHE_HOME/sardonyx or ~/.cache/sardonyx.

set(SARDONYX_PROTOBUF_URL https://github.com/protocolbuffers/protobuf/archive/refs/tags/v3.21.12.tar.gz
    CACHE STRING "the archive of protobuf's sources, for machines without apt")
set(SARDONYX_PROTOBUF_SHA256 930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53)
if(DEFINED ENV{SARDONYX_CACHE})
  set(cache $ENV{SARDONYX_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache $ENV{XDG_CACHE_HOME}/sardonyx)
else()
  set(cache $ENV{HOME}/.cache/sardonyx)
endif()

# The sources: from Debian's source package, or, on a machine without apt, the same archive from its origin.
set(source ${cache}/protobuf-${SARDONYX_PROTOBUF_VERSION}-src)
find_program(SARDONYX_APT_GET apt-get)
if(NOT EXISTS ${source}/.complete AND SARDONYX_APT_GET)
  execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/fetch-protobuf.sh ${source} RESULT_VARIABLE failed)
endif()
if(NOT EXISTS ${source}/.complete)
  include(FetchContent)
  FetchContent_Declare(
    protobuf
    URL ${SARDONYX_PROTOBUF_URL}
    URL_HASH SHA256=${SARDONYX_PROTOBUF_SHA256}
    SOURCE_SUBDIR no-cmake-project-here
    DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  FetchContent_MakeAvailable(protobuf)
  set(source ${protobuf_SOURCE_DIR})
endif()

# -Os: parsing is far from being what takes the time, and the runtime is a good part of a small module.
# -fno-rtti, exceptions and threads have to be as in the code that links it.
set(flags -Os -fno-rtti ${SARDONYX_WASM_COMPILE_OPTIONS})
file(READ ${CMAKE_CURRENT_LIST_DIR}/protobuf-lite/CMakeLists.txt recipe)
string(SHA256 key "${flags}|${CMAKE_CXX_COMPILER_VERSION}|${CMAKE_CXX_COMPILER}|${SARDONYX_PROTOBUF_SHA256}|${recipe}")
string(SUBSTRING ${key} 0 16 key)
set(built ${cache}/protobuf-${SARDONYX_PROTOBUF_VERSION}-${key})
if(NOT EXISTS ${built}/libprotobuf-lite.a)
  message(STATUS "Compiling protobuf-lite for wasm (about a minute, once per set of flags)")
  # Made in a folder of its own and then renamed, so that a half-done or a second, simultaneous build does no harm.
  string(RANDOM LENGTH 8 tag)
  set(work ${built}.${tag})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/protobuf-lite -B ${work}
            -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DCMAKE_BUILD_TYPE=None
            -DPROTOBUF_SOURCE_DIR=${source} "-DPROTOBUF_FLAGS=${flags}"
            "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}"
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${work} OUTPUT_VARIABLE log ERROR_VARIABLE log
                    RESULT_VARIABLE failed)
  endif()
  if(failed)
    message(FATAL_ERROR "protobuf-lite does not build:\n${log}")
  endif()
  file(MAKE_DIRECTORY ${built})
  file(RENAME ${work}/libprotobuf-lite.a ${built}/libprotobuf-lite.a)
  file(REMOVE_RECURSE ${work})
endif()

add_library(sardonyx_protobuf INTERFACE)
target_include_directories(sardonyx_protobuf SYSTEM INTERFACE ${source}/src)
target_link_libraries(sardonyx_protobuf INTERFACE ${built}/libprotobuf-lite.a)
