# protobuf-lite for wasm: finds its sources, and compiles them with our flags unless the cache has that already.
#
# SARDONYX_PROTOBUF_URL is where a machine without apt downloads them from; their hash is checked either way.

set(SARDONYX_PROTOBUF_URL https://github.com/protocolbuffers/protobuf/archive/refs/tags/v3.21.12.tar.gz
    CACHE STRING "the archive of protobuf's sources, for machines without apt")
set(SARDONYX_PROTOBUF_SHA256 930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53)

# The sources: from Debian's source package, or, on a machine without apt, the same archive from its origin.
set(source ${SARDONYX_CACHE_FOLDER}/protobuf-${SARDONYX_PROTOBUF_VERSION}-src)
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
sardonyx_cached_library(
  built protobuf-lite ${CMAKE_CURRENT_LIST_DIR}/protobuf-lite "${flags}|${SARDONYX_PROTOBUF_SHA256}"
  -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DPROTOBUF_SOURCE_DIR=${source} "-DPROTOBUF_FLAGS=${flags}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}")

add_library(sardonyx_protobuf INTERFACE)
target_include_directories(sardonyx_protobuf SYSTEM INTERFACE ${source}/src)
target_link_libraries(sardonyx_protobuf INTERFACE ${built}/libprotobuf-lite.a)
