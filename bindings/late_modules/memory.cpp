// Copying and filling as WebAssembly's own instructions, for the modules that are linked for size: the C library that
// they get goes byte by byte.
#include <cstddef>

extern "C" {
void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
void* memset(void* to, int byte, size_t bytes) { return __builtin_memset(to, byte, bytes); }
}
