# Third-party libraries, compiled once per recipe, compiler and flags into the cache outside the clone.
#
# SARDONYX_CACHE (environment) is the cache; default $XDG_CACHE_HOME/sardonyx or ~/.cache/sardonyx.

if(DEFINED ENV{SARDONYX_CACHE})
  set(SARDONYX_CACHE_FOLDER $ENV{SARDONYX_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(SARDONYX_CACHE_FOLDER $ENV{XDG_CACHE_HOME}/sardonyx)
else()
  set(SARDONYX_CACHE_FOLDER $ENV{HOME}/.cache/sardonyx)
endif()

# sardonyx_cached_library(RESULT NAME RECIPE KEY OPTION...): builds lib<NAME>.a with the CMake project in the folder RECIPE
# and the -D options, unless the cache has it for this KEY, and sets RESULT to the folder where it is. If the project
# makes a folder include/ in its binary folder, that comes along.
function(sardonyx_cached_library result name recipe key)
  file(GLOB_RECURSE files ${recipe}/*)
  list(SORT files)
  foreach(file ${files})
    file(SHA256 ${file} hash)
    string(APPEND key "|${hash}")
  endforeach()
  string(SHA256 key "${key}|${CMAKE_CXX_COMPILER_VERSION}|${CMAKE_CXX_COMPILER}")
  string(SUBSTRING ${key} 0 16 key)
  set(built ${SARDONYX_CACHE_FOLDER}/${name}-${key})
  set(${result} ${built} PARENT_SCOPE)
  if(EXISTS ${built}/lib${name}.a)
    return()
  endif()
  message(STATUS "Compiling ${name} (a minute or two, once per set of flags)")
  # Made in a folder of its own and then renamed, so that a half-done or a second, simultaneous build does no harm.
  set(options)
  if(ARGC GREATER 4)
    math(EXPR last "${ARGC} - 1")
    foreach(i RANGE 4 ${last})
      # Not ARGN: it would take lists apart.
      string(REPLACE ";" "\\;" option "${ARGV${i}}")
      list(APPEND options "${option}")
    endforeach()
  endif()
  string(RANDOM LENGTH 8 tag)
  set(work ${built}.${tag})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${recipe} -B ${work} -DCMAKE_BUILD_TYPE=None ${options}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${work} OUTPUT_VARIABLE log ERROR_VARIABLE log
                    RESULT_VARIABLE failed)
  endif()
  if(failed)
    message(FATAL_ERROR "${name} does not build:\n${log}")
  endif()
  file(MAKE_DIRECTORY ${built})
  if(EXISTS ${work}/include AND NOT EXISTS ${built}/include)
    file(RENAME ${work}/include ${built}/include)
  endif()
  file(RENAME ${work}/lib${name}.a ${built}/lib${name}.a)
  file(REMOVE_RECURSE ${work})
endfunction()
