// Names of lib.dom that the package's types use, so that they compile in programs without it: with it, these add nothing.
declare global {
  interface HTMLCanvasElement {}
  interface HTMLImageElement {}
  interface HTMLVideoElement {}
  interface ImageBitmap {}
  interface ImageData {}
  interface OffscreenCanvas {}
  interface VideoFrame {}
  interface WebGLTexture {}
  interface Worker {}
  namespace WebAssembly {
    interface Instance {}
    interface Memory {}
    interface Module {}
  }
}

export {};
