# Every Emscripten flag of the project, each with its reason. (Sizes: docs/PERFORMANCE.md, "Size".)

# ---- Compiling ------------------------------------------------------------------------------------------------------
set(SARDONYX_WASM_COMPILE_OPTIONS
    # The kernels are written with wasm_simd128.h; every engine since 2021/2023 has it.
    -msimd128
    # load, plan and run report errors as C++ exceptions. The wasm instructions cost nothing on the way without an
    # error; -fexceptions would turn every call that may throw into a JavaScript call.
    -fwasm-exceptions)
if(SARDONYX_THREADS)
  # Shared memory, atomics, workers.
  list(APPEND SARDONYX_WASM_COMPILE_OPTIONS -pthread)
endif()
target_compile_options(sardonyx_compile INTERFACE ${SARDONYX_WASM_COMPILE_OPTIONS})
# Without RTTI, Embind needs to be told that types have no names of their own.
target_compile_definitions(sardonyx_compile INTERFACE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)

# -Os for everything but the kernels: what runs once per node and run is not what takes the time.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
set(SARDONYX_KERNEL_OPTIONS -O3)
# Fused multiply-add and the int8 dot product, in the kernels of the relaxed variants only: everything else is compiled
# once for the plain and the relaxed module. Engines that lack them refuse the module, so it is a file of its own.
set(SARDONYX_RELAXED_OPTIONS -mrelaxed-simd)

# ---- Linking --------------------------------------------------------------------------------------------------------
set(link_options
    ${SARDONYX_WASM_COMPILE_OPTIONS}
    # The heap grows as models need it, up to all that 32 bits can address.
    -sALLOW_MEMORY_GROWTH=1
    -sMAXIMUM_MEMORY=4GB
    # What the module itself and a small model need; more would be paid by every session.
    -sINITIAL_MEMORY=8MB
    # A model's size is known before it is loaded, and the heap grows by that; the rest comes in small steps.
    -sMEMORY_GROWTH_GEOMETRIC_STEP=0.02
    # Out of memory is reported as std::bad_alloc, and the page goes on; the default would abort.
    -sABORTING_MALLOC=0
    # Graphs nest (subgraphs, functions); depth is bounded by the loader, and 1 MB is enough for that bound.
    -sSTACK_SIZE=1MB
    # No checks of the glue's users; the TypeScript package is the only one.
    -sASSERTIONS=0)

# A program with main(), run by Node: benchmarks and tests of kernels.
set(SARDONYX_WASM_PROGRAM_OPTIONS ${link_options} -O2 -sENVIRONMENT=node -sEXIT_RUNTIME=1)

# The module of the package.
set(SARDONYX_WASM_MODULE_OPTIONS
    ${link_options}
    -O3
    # memcpy and memset as instructions, not as calls into JavaScript: who has SIMD has these.
    -mbulk-memory
    # No file system: models come as bytes.
    -sFILESYSTEM=0
    # The half of Embind that is built without RTTI: the two halves name types in different ways.
    -lembind
    -fno-rtti
    # No eval and no new Function: a strict Content-Security-Policy must do.
    -sDYNAMIC_EXECUTION=0
    # A factory function, many independent instances, and an ES module.
    -sMODULARIZE=1
    -sEXPORT_ES6=1
    -sEXPORT_NAME=createSardonyx
    # The caller passes instantiateWasm, so the glue reads no files and needs no part for Node: with it, or with
    # import.meta, bundlers would look for Node's modules and for a .wasm that has another name in the package.
    -sENVIRONMENT=web,worker
    -sUSE_ES6_IMPORT_META=0
    # The engines that have SIMD and exceptions (web/src/module.ts names them): no work-arounds for older ones.
    -sMIN_CHROME_VERSION=95
    -sMIN_FIREFOX_VERSION=100
    -sMIN_SAFARI_VERSION=160400
    # No main(): the static constructors (Embind's) run at start, nothing else.
    --no-entry
    # The .wasm stays a file of its own, found by the package.
    -sSINGLE_FILE=0)
if(NOT SARDONYX_THREADS)
  list(APPEND SARDONYX_WASM_MODULE_OPTIONS
    # All that the package passes to the factory.
    -sINCOMING_MODULE_JS_API=instantiateWasm
    # Always the engine's own decoder of UTF-8 (it refuses shared memory).
    -sTEXTDECODER=2)
else()
  list(APPEND SARDONYX_WASM_MODULE_OPTIONS
       # web/src/threads.ts makes the workers before the model is loaded, with a time-out. A thread for which there is
       # none must fail at once: the glue would make a worker that cannot start before the caller comes back.
       -sEXPORTED_RUNTIME_METHODS=PThread
       -sPTHREAD_POOL_SIZE_STRICT=2
       # Kernels keep a few KB on the stack.
       -sDEFAULT_PTHREAD_STACK_SIZE=256KB
       # The glue's views of a heap that grows are slower; no loop of ours is JavaScript.
       -Wno-pthreads-mem-growth)
endif()

# The codecs' module: without Embind and glue, for the package instantiates it itself (web/src/codecs.ts).
set(SARDONYX_CODEC_WASM_OPTIONS -fwasm-exceptions -sSUPPORT_LONGJMP=wasm)
set(SARDONYX_CODEC_MODULE_OPTIONS
    ${SARDONYX_CODEC_WASM_OPTIONS}
    -Oz
    -fno-rtti
    -mbulk-memory
    -sSTANDALONE_WASM=1
    --no-entry
    -sEXPORTED_FUNCTIONS=_decode,_malloc,_free
    -sALLOW_MEMORY_GROWTH=1
    -sMAXIMUM_MEMORY=4GB
    -sINITIAL_MEMORY=2MB
    -sABORTING_MALLOC=0
    # Smaller by 7 KB, and a picture asks for memory seldom.
    -sMALLOC=emmalloc
    -sSTACK_SIZE=256KB
    -sFILESYSTEM=0)

# The tools' module, likewise (web/src/tools/native.ts); its code is compiled as the engine's is.
set(SARDONYX_TOOLS_MODULE_OPTIONS
    ${SARDONYX_WASM_COMPILE_OPTIONS}
    -Oz
    -fno-rtti
    -mbulk-memory
    -sSTANDALONE_WASM=1
    --no-entry
    -sEXPORTED_FUNCTIONS=_sardonyx_tools_create,_sardonyx_tools_delete,_sardonyx_tools_call,_malloc,_free
    -sALLOW_MEMORY_GROWTH=1
    -sMAXIMUM_MEMORY=4GB
    -sINITIAL_MEMORY=2MB
    -sABORTING_MALLOC=0
    -sSTACK_SIZE=1MB
    -sFILESYSTEM=0)
