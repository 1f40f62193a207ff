// What is filled in for one input, and the tensor that comes of it.
import { type Signal, signal } from '@preact/signals';
import type { InferenceSession } from 'sardonyx';
import type { PlainTensor } from '../engine/messages.js';
import { t } from '../i18n/index.js';
import { arrayOf, countOf, isFillable, isFloat } from './elements.js';
import { fromRule, fromText, type Rule } from './fill.js';
import { fromPixels, type ImageSettings, imageLayout, imageSize, likelySettings } from './image.js';
import { type Drawable, pixelsOf } from './pixels.js';
import { tokenizer, tokensNow } from './tokenizer.js';

export type Kind = Rule | 'text' | 'image' | 'camera' | 'audio' | 'microphone' | 'npy' | 'tokens' | 'mask';
const kMaxElements = 2 ** 28;

/** A likely size of a dimension that the model leaves open. */
function guess(name: string, at: number, shape: readonly (number | string)[]): number {
  if (at === 0 || /batch|^n$/i.test(name)) return 1;
  const nhwc = shape.length === 4 && typeof shape[3] === 'number' && shape[3] <= 4;
  const side = shape.length === 4 && (nhwc ? at < 3 : at >= 2);
  if (side) return 224;
  if (/height|width/i.test(name)) return 224;
  if (/sample|audio/i.test(name)) return 16000;
  return /seq|len|time|token/i.test(name) ? 16 : 1;
}

/** A number of samples per second. */
const isRate = (meta: InferenceSession.ValueMetadata): boolean =>
  /^(sr|(sample|sampling)_?rate)$/i.test(meta.name) && meta.isTensor && meta.shape.every((dim) => dim === 1);

/** Sizes of open dimensions; those of one name are the same signal. */
export class Dimensions {
  readonly #named = new Map<string, Signal<number>>();
  readonly #sound: boolean;

  constructor(inputs: readonly InferenceSession.ValueMetadata[]) {
    this.#sound = inputs.some(isRate);
  }

  of(dim: number | string, at: number, shape: readonly (number | string)[]): number | Signal<number> {
    if (typeof dim === 'number' && dim > 0) return dim;
    const name = typeof dim === 'number' ? '' : dim;
    const known = name === '' ? undefined : this.#named.get(name);
    const size = known ?? signal(this.#sound && shape.length === 2 && at === 1 ? 512 : guess(name, at, shape));
    if (name !== '') this.#named.set(name, size);
    return size;
  }
}

export class InputState {
  readonly meta: InferenceSession.ValueMetadata;
  readonly type: string;
  readonly shape: readonly (number | string)[];
  readonly dims: readonly (number | Signal<number>)[];
  readonly fillable: boolean;
  readonly kind: Signal<Kind>;
  readonly settings: Signal<ImageSettings>;
  readonly text: Signal<string>;
  readonly picture = signal<Drawable | undefined>(undefined);
  readonly samples = signal<Float32Array | undefined>(undefined);
  readonly rate = signal(16000);
  readonly array = signal<PlainTensor | undefined>(undefined);
  /** Where the picture is seen as the model gets it. */
  readonly canvas = document.createElement('canvas');

  constructor(meta: InferenceSession.ValueMetadata, dimensions: Dimensions, classes: number) {
    this.meta = meta;
    this.type = meta.isTensor ? meta.type : '';
    this.shape = meta.isTensor ? meta.shape : [];
    this.fillable = meta.isTensor && isFillable(meta.type);
    this.dims = this.shape.map((dim, i) => dimensions.of(dim, i, this.shape));
    this.settings = signal(likelySettings(this.type, this.shape, classes));
    this.text = signal(isRate(meta) ? '16000' : '');
    this.kind = signal<Kind>(this.#likelyKind());
  }

  #likelyKind(): Kind {
    const { name } = this.meta;
    if (this.type === 'string') return 'text';
    if (isRate(this.meta)) return 'text';
    if (/^(state|h|c|h_?0|c_?0|hidden|cell)$|cache|^past/i.test(name)) return 'zeros';
    if (isFloat(this.type) || !tokenizer.peek()) return /mask/i.test(name) ? 'ones' : 'random';
    if (/input_?ids|^ids$|tokens?$/i.test(name)) return 'tokens';
    return /mask/i.test(name) ? 'mask' : /token_?type|segment/i.test(name) ? 'zeros' : 'random';
  }

  /** The kinds of values that it can be filled with, the likely ones first. */
  kinds(): Kind[] {
    if (this.type === 'string') return ['text'];
    const plain: Kind[] = ['random', 'zeros', 'ones', 'count', 'text', 'npy'];
    if (imageLayout(this.shape)) return ['image', 'camera', ...plain];
    const long = this.shape.length > 0 && this.shape.length <= 3;
    if (!isFloat(this.type)) return long ? [...plain, 'tokens', 'mask'] : plain;
    return long ? [...plain, 'audio', 'microphone'] : plain;
  }

  /** Takes away what a file or a device gave. */
  forget(): void {
    this.picture.value = undefined;
    this.samples.value = undefined;
    this.array.value = undefined;
  }

  sizes(): number[] {
    return this.dims.map((dim) => (typeof dim === 'number' ? dim : dim.value));
  }

  /** Gives the open sides of an image the picture's own, in steps of 32, at most 960. */
  fitTo(picture: Drawable): void {
    this.picture.value = picture;
    const at = this.settings.value.layout === 'NCHW' ? this.dims.length - 2 : this.dims.length - 3;
    const [height, width] = [this.dims[at], this.dims[at + 1]];
    const scale = Math.min(1, 960 / Math.max(picture.width, picture.height));
    const side = (size: number) => Math.max(32, 32 * Math.round((size * scale) / 32));
    if (typeof height === 'number' || typeof width === 'number' || picture.width === 0) return;
    height.value = side(picture.height);
    width.value = side(picture.width);
  }

  /** The numbers that lie along one dimension. */
  #lineNow(): ArrayLike<number> | undefined {
    const kind = this.kind.value;
    if (kind === 'audio' || kind === 'microphone') return this.samples.value;
    if (kind === 'tokens') return tokensNow().ids;
    return kind === 'mask' ? tokensNow().ids.map(() => 1) : undefined;
  }

  /** Of a line of numbers: the last dimension that is open, or the last. */
  #lineAt(): number {
    const at = this.dims.findLastIndex((dim) => typeof dim !== 'number');
    return at < 0 || (at === 0 && this.dims.length > 1) ? this.dims.length - 1 : at;
  }

  /** Gives open dimensions the sizes that the values have; before value() of any input, since they may share them. */
  settle(): void {
    const length = this.#lineNow()?.length;
    const open = this.dims[this.#lineAt()];
    if (length && typeof open === 'object') open.value = length;
  }

  /** Throws Error with what is missing or wrong. */
  value(): PlainTensor {
    const { name } = this.meta;
    const dims = this.sizes();
    if (dims.some((dim) => !Number.isInteger(dim) || dim < 0)) throw new Error(t('badSize', { name }));
    const count = countOf(dims);
    if (count > kMaxElements) throw new Error(t('tooLarge', { name, count }));
    const kind = this.kind.value;
    if (kind === 'text') return fromText(name, this.type, dims, this.text.value);
    if (kind === 'image' || kind === 'camera') return this.#image(dims);
    if (kind === 'npy') return this.#array();
    const missing = t(kind === 'tokens' || kind === 'mask' ? 'noTextYet' : 'noSoundYet', { name });
    if (/^(audio|microphone|tokens|mask)$/.test(kind)) return this.#line(dims, this.#lineNow(), missing);
    return { type: this.type, dims, data: fromRule(kind as Rule, this.type, count) };
  }

  #image(dims: readonly number[]): PlainTensor {
    const picture = this.picture.value;
    const { name } = this.meta;
    if (!picture) throw new Error(t('noImageYet', { name }));
    const settings = this.settings.value;
    const { width, height } = imageSize(dims, settings.layout);
    if (!(width > 0 && height > 0)) throw new Error(t('noRoom', { name }));
    return fromPixels(this.type, dims, pixelsOf(picture, this.canvas, width, height, settings.fit), settings);
  }

  #array(): PlainTensor {
    const array = this.array.value;
    const { name } = this.meta;
    if (!array) throw new Error(t('noNpyYet', { name }));
    if (array.type === this.type) return array;
    throw new Error(t('npyType', { name, type: array.type, wanted: this.type }));
  }

  /** Values along one dimension, in each of the others alike; cut off or filled up with zeros where it is fixed. */
  #line(dims: number[], values: ArrayLike<number> | undefined, missing: string): PlainTensor {
    if (!values || values.length === 0) throw new Error(missing);
    const size = dims[this.#lineAt()];
    const inner = countOf(dims.slice(this.#lineAt() + 1));
    const value = (i: number) => values[Math.floor(i / inner) % size] ?? 0;
    return { type: this.type, dims, data: arrayOf(this.type, countOf(dims), value) };
  }
}
