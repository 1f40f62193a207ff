// The image codecs: a WebAssembly module of their own (src/codecs/module.cpp), for models with an ImageDecoder.
import { messageOf } from './errors.js';

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  decode(bytes: number, size: number, format: number, answer: number): void;
}

export type Decoded =
  /** The pixels are a view: they hold until clear() or the next decode(). */
  { height: number; width: number; pixels: Uint8Array } | { error: string };

const kGray = 2; // of the engine's PixelFormat
const kAnswerBytes = 12;
/** A heap that has grown beyond this is given back after the image that made it grow. */
const kKeptBytes = 64 * 2 ** 20;

/** There are no files, no clock and no way to exit: whatever the C library asks for fails (WASI's ENOSYS). */
function noSystem(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => 52 };
  }
  return imports;
}

/** Decodes for one session. */
export class Codecs {
  private pixels = 0;

  private constructor(
    private readonly module: WebAssembly.Module,
    private instance: WebAssembly.Instance | undefined,
  ) {
    this.exports._initialize();
  }

  /** @throws whatever the platform throws */
  static async start(module: WebAssembly.Module): Promise<Codecs> {
    return new Codecs(module, await WebAssembly.instantiate(module, noSystem(module)));
  }

  private get exports(): Exports {
    if (!this.instance) {
      this.instance = new WebAssembly.Instance(this.module, noSystem(this.module));
      (this.instance.exports as unknown as Exports)._initialize();
    }
    return this.instance.exports as unknown as Exports;
  }

  /** `format`: RGB, BGR or gray, by its number. Does not throw. */
  decode(bytes: Uint8Array, format: number): Decoded {
    this.clear();
    try {
      return this.guarded(bytes, format);
    } catch (error) {
      // A trap: nothing can be said of the state that it leaves behind.
      this.pixels = 0;
      this.instance = undefined;
      return { error: `the codecs failed: ${messageOf(error)}` };
    }
  }

  private guarded(bytes: Uint8Array, format: number): Decoded {
    const { memory, malloc, free, decode } = this.exports;
    const at = malloc(bytes.length + kAnswerBytes + 4);
    if (at === 0) return { error: `the codecs have no memory for the ${bytes.length} bytes of the image` };
    const answer = (at + bytes.length + 3) & ~3;
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    decode(at, bytes.length, format, answer);
    const [pixels, height, width] = new Uint32Array(memory.buffer, answer, 3) as unknown as [number, number, number];
    free(at);
    if (pixels === 0) return { error: this.text(height) };
    this.pixels = pixels;
    const size = height * width * (format === kGray ? 1 : 3);
    return { height, width, pixels: new Uint8Array(memory.buffer, pixels, size) };
  }

  private text(address: number): string {
    if (address === 0) return 'the codecs have no memory for the image';
    const { memory, free } = this.exports;
    const all = new Uint8Array(memory.buffer);
    const text = new TextDecoder().decode(all.subarray(address, all.indexOf(0, address)));
    free(address);
    return text;
  }

  /** Frees the pixels of the last image. */
  clear(): void {
    if (!this.instance) return;
    const { memory, free } = this.exports;
    if (this.pixels !== 0) free(this.pixels);
    this.pixels = 0;
    if (memory.buffer.byteLength > kKeptBytes) this.instance = undefined;
  }
}
