// Sizes for the dimensions that a model's inputs leave open.
import type { InferenceSession } from '../session.js';

type Port = Pick<InferenceSession.TensorValueMetadata, 'name' | 'shape'>;

/** An open dimension goes by its name, and by `input:axis`. */
export class OpenDimensions {
  /** Those that took the size 1, since nothing said otherwise. */
  readonly assumed = new Set<string>();
  /** Those that an input has. */
  protected readonly used = new Set<string>();

  constructor(protected readonly sizes: Map<string, number>) {}

  protected keys({ name, shape }: Port, axis: number): string[] {
    const dim = shape[axis];
    if (typeof dim === 'number') return [];
    return dim ? [dim, `${name}:${axis}`] : [`${name}:${axis}`];
  }

  /** What a value of the input has is the size of the dimension elsewhere. */
  take(port: Port, axis: number, size: number): void {
    for (const key of this.keys(port, axis)) this.sizes.set(key, size);
  }

  dimsOf(port: Port): number[] {
    return port.shape.map((dim, axis) => {
      if (typeof dim === 'number') return dim;
      const keys = this.keys(port, axis);
      for (const key of keys) this.used.add(key);
      const known = keys.find((key) => this.sizes.has(key));
      if (known === undefined) this.assumed.add(keys[0] as string);
      return known === undefined ? 1 : (this.sizes.get(known) as number);
    });
  }
}
