# The image libraries behind ImageDecoder: finds their sources, and compiles them with our flags unless the cache has that
# already. Target sardonyx_image_libraries. Natively the same sources, so that tests and fuzzing see what ships.
#
# SARDONYX_CODEC_SOURCES is where a machine without apt has them (folders as scripts/fetch-codecs.sh makes them).

set(SARDONYX_CODEC_SOURCES "" CACHE PATH "the image libraries' sources, for machines without apt")
file(SHA256 ${PROJECT_SOURCE_DIR}/scripts/fetch-codecs.sh fetched)
if(SARDONYX_CODEC_SOURCES)
  set(sources ${SARDONYX_CODEC_SOURCES})
else()
  string(SUBSTRING ${fetched} 0 16 tag)
  set(sources ${SARDONYX_CACHE_FOLDER}/image-codecs-src-${tag})
  execute_process(COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/fetch-codecs.sh ${sources} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "no sources of the image libraries (see above; or set SARDONYX_CODEC_SOURCES)")
  endif()
endif()

# Errors are C++ exceptions, thrown from the libraries' callbacks; libtiff's JPEG part uses setjmp.
if(EMSCRIPTEN)
  set(flags -Oz ${SARDONYX_CODEC_WASM_OPTIONS})
  set(options "-DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}")
else()
  set(flags -O2 -fexceptions)
  if(SARDONYX_SANITIZE)
    # UBSan is for our code: what it would find in theirs is not ours to change.
    set(flags -O1 -gline-tables-only -fexceptions -fsanitize=address)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      list(APPEND flags -fsanitize=fuzzer-no-link)
    endif()
  endif()
  string(REGEX REPLACE "clang\\+\\+" "clang" compiler ${CMAKE_CXX_COMPILER})
  string(REGEX REPLACE "g\\+\\+" "gcc" compiler ${compiler})
  set(options "-DCMAKE_C_COMPILER=${compiler}")
endif()
set(recipe ${CMAKE_CURRENT_LIST_DIR}/codec-libraries)
sardonyx_cached_library(built image-codecs ${recipe} "${flags}|${fetched}" ${options} "-DCODEC_FLAGS=${flags}"
                        -DSOURCE_DIR=${sources} "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}")

add_library(sardonyx_image_libraries INTERFACE)
target_include_directories(sardonyx_image_libraries SYSTEM INTERFACE
  ${recipe}/config ${built}/include ${sources}/libjpeg-turbo ${sources}/libpng1.6 ${sources}/libwebp/src
  ${sources}/openjpeg2/src/lib/openjp2 ${sources}/tiff/libtiff ${sources}/zlib)
target_link_libraries(sardonyx_image_libraries INTERFACE ${built}/libimage-codecs.a)
