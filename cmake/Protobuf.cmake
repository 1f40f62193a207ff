# protobuf's lite runtime: Debian's natively; for wasm its sources, compiled once per set of flags into the cache.
#
# sardonyx_proto(TARGET FILE) compiles FILE with the host's protoc and gives TARGET, and TARGET alone, the result.

set(SARDONYX_PROTOBUF_VERSION 3.21.12)
find_program(SARDONYX_PROTOC protoc)
if(NOT SARDONYX_PROTOC)
  message(FATAL_ERROR "protoc is missing (Debian: apt-get install protobuf-compiler)")
endif()
execute_process(COMMAND ${SARDONYX_PROTOC} --version OUTPUT_VARIABLE protoc_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^libprotoc (3\\.)?" "3." protoc_version "${protoc_version}")

if(EMSCRIPTEN)
  if(NOT protoc_version STREQUAL SARDONYX_PROTOBUF_VERSION)
    message(FATAL_ERROR "protoc ${SARDONYX_PROTOBUF_VERSION} is needed, ${SARDONYX_PROTOC} is ${protoc_version}")
  endif()
  include(${CMAKE_CURRENT_LIST_DIR}/ProtobufWasm.cmake)
else()
  find_package(Protobuf REQUIRED)
  add_library(sardonyx_protobuf INTERFACE)
  target_link_libraries(sardonyx_protobuf INTERFACE protobuf::libprotobuf-lite)
endif()

function(sardonyx_proto target file)
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${stem})
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${out}/${stem}.pb.cc ${out}/${stem}.pb.h
    COMMAND ${SARDONYX_PROTOC} -I ${folder} --cpp_out=lite:${out} ${file}
    DEPENDS ${file}
    COMMENT "protoc ${stem}.proto"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
  # Generated code: its warnings are not ours.
  set_source_files_properties(${out}/${stem}.pb.cc PROPERTIES COMPILE_OPTIONS -w)
  target_include_directories(${target} SYSTEM PRIVATE ${out})
  # Users of TARGET link the runtime but must not see its headers.
  target_link_libraries(${target} PRIVATE sardonyx_protobuf)
endfunction()
