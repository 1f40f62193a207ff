/* libwebp: no SIMD, no threads. */
