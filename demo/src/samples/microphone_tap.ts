// An audio worklet that hands the page what it hears, in blocks.
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;

const kBlock = 1024;

class Tap extends AudioWorkletProcessor {
  #block = new Float32Array(kBlock);
  #filled = 0;

  process([[heard]]: Float32Array[][]): boolean {
    for (let at = 0; heard && at < heard.length; ) {
      const part = heard.subarray(at, at + kBlock - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < kBlock) continue;
      this.port.postMessage(this.#block, [this.#block.buffer]);
      this.#block = new Float32Array(kBlock);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor('tap', Tap);
