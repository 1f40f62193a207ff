// A model's bytes between their arrival and their reading: outside the heap, which so need not hold them beside the weights.
import type { NativeBytes } from './native.js';

export class ModelBytes implements NativeBytes {
  private pieces: Uint8Array[] = [];
  private next = 0;
  private offset = 0; // in the next piece
  size = 0;

  append(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.size += piece.length;
  }

  read(to: Uint8Array): number {
    let done = 0;
    while (done < to.length && this.next < this.pieces.length) {
      const piece = this.pieces[this.next] as Uint8Array;
      const part = piece.subarray(this.offset, this.offset + to.length - done);
      to.set(part, done);
      done += part.length;
      this.offset += part.length;
      if (this.offset < piece.length) continue;
      // Read pieces are let go at once.
      this.pieces[this.next++] = new Uint8Array();
      this.offset = 0;
    }
    return done;
  }

  clear(): void {
    this.pieces = [];
    this.size = 0;
    this.next = 0;
    this.offset = 0;
  }
}
