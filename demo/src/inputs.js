// The form of the inputs: dimensions, and what to fill each input with.
import { choice, element, labelled } from './dom.js';
import { arrayOf, fromPixels, fromText, imageLayout, imageSize, isFillable, norms, rules } from './fill.js';

const kMaxElements = 2 ** 28;

/** A likely size of a dimension whose size the model leaves open. */
function guess(name, at, shape) {
  if (at === 0 || /batch|^n$/i.test(name)) return 1;
  const layout = shape.length === 4 && (typeof shape[3] === 'number' ? shape[3] <= 4 : false) ? 'NHWC' : 'NCHW';
  const isSide = shape.length === 4 && (layout === 'NCHW' ? at >= 2 : at === 1 || at === 2);
  if (isSide || /height|width/i.test(name)) return 224;
  return /seq|len|time|token/i.test(name) ? 16 : 1;
}

class InputForm {
  constructor(meta, dimensions) {
    this.meta = meta;
    this.root = element('div', { class: 'value' });
    const type = meta.isTensor ? meta.type : meta.description;
    const shape = meta.isTensor ? `[${meta.shape.map((d) => (d === '' ? '?' : d)).join(', ')}]` : '';
    this.root.append(element('h3', {}, meta.name, ' ', element('span', { class: 'type' }, `${type}${shape}`)));
    if (!meta.isTensor || !isFillable(meta.type)) {
      this.root.append(element('p', {}, 'This page cannot fill such an input; it is left out.'));
      return;
    }
    this.dims = meta.shape.map((dim, i) => dimensions.control(dim, i, meta.shape));
    const open = this.dims.filter((dim) => typeof dim === 'object');
    for (const dim of open) dim.addEventListener('input', () => this.update());
    this.kind = this.kindChoice();
    this.kind.addEventListener('change', () => this.update());
    this.details = element('div');
    const names = meta.shape.filter((dim) => typeof dim === 'string');
    const dimLabels = open.map((control, i) => labelled(names[i] || 'dimension', control));
    this.root.append(element('div', { class: 'row' }, ...dimLabels, labelled('fill with', this.kind)), this.details);
    this.makeDetails();
    this.update();
  }

  kindChoice() {
    const kinds = [
      ['random', 'random numbers'],
      ['zeros', 'zeros'],
      ['ones', 'ones'],
      ['count', '0, 1, 2...'],
      ['text', 'values typed in'],
    ];
    const { type } = this.meta;
    if (type === 'string') kinds.splice(0, 4);
    else kinds.push(['image', 'an image']);
    return choice(kinds, type === 'string' ? 'text' : 'random');
  }

  makeDetails() {
    this.text = element('textarea', { rows: 2, 'aria-label': `values of ${this.meta.name}` });
    this.text.placeholder = this.meta.type === 'string' ? 'one string per line' : '0.5, 1, 2 (repeated as needed)';
    this.image = element('input', { type: 'file', accept: 'image/*', 'aria-label': `image for ${this.meta.name}` });
    this.image.addEventListener('change', () => this.showImage());
    this.layout = choice([
      ['NCHW', 'NCHW'],
      ['NHWC', 'NHWC'],
    ]);
    const integer = this.meta.type === 'uint8' || this.meta.type === 'int8';
    const normPairs = Object.entries(norms).map(([name, { label }]) => [name, label]);
    this.norm = choice(normPairs, integer ? 'pixels' : 'unit');
    this.order = choice([
      ['RGB', 'RGB'],
      ['BGR', 'BGR'],
    ]);
    this.preview = element('canvas', { width: 1, height: 1, hidden: true });
    this.preview.setAttribute('aria-label', 'the image as the model gets it');
    this.imageBox = element(
      'div',
      {},
      element(
        'div',
        { class: 'row' },
        this.image,
        labelled('layout', this.layout),
        labelled('values', this.norm),
        labelled('channels', this.order),
      ),
      this.preview,
    );
    const layout = imageLayout(this.currentDims());
    if (layout) this.layout.value = layout;
    this.details.append(this.text, this.imageBox);
  }

  update() {
    this.text.hidden = this.kind.value !== 'text';
    this.imageBox.hidden = this.kind.value !== 'image';
    if (this.kind.value === 'image') this.showImage();
  }

  currentDims() {
    return this.dims.map((dim) => (typeof dim === 'number' ? dim : Number(dim.value)));
  }

  async pixels() {
    const [file] = this.image.files;
    if (!file) throw new Error(`no image is chosen for the input "${this.meta.name}"`);
    const { width, height } = imageSize(this.currentDims(), this.layout.value);
    if (!(width > 0 && height > 0)) throw new Error(`the input "${this.meta.name}" has no room for an image`);
    const bitmap = await createImageBitmap(file);
    Object.assign(this.preview, { width, height, hidden: false });
    const context = this.preview.getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  }

  showImage() {
    if (this.image.files.length > 0) this.pixels().catch(() => {});
  }

  /** {type, dims, data}, or undefined where the page cannot make one. */
  async value() {
    if (!this.dims) return undefined;
    const { type, name } = this.meta;
    const dims = this.currentDims();
    if (dims.some((dim) => !Number.isInteger(dim) || dim < 0)) throw new Error(`a dimension of "${name}" is no size`);
    const count = dims.reduce((a, b) => a * b, 1);
    if (count > kMaxElements) throw new Error(`the input "${name}" would have ${count} elements`);
    const kind = this.kind.value;
    if (kind === 'text') return { type, dims, data: fromText(type, count, this.text.value) };
    if (kind !== 'image') return { type, dims, data: arrayOf(type, count, rules[kind](type)) };
    const settings = { layout: this.layout.value, norm: this.norm.value, order: this.order.value };
    return { type, dims, data: fromPixels(type, dims, await this.pixels(), settings) };
  }
}

/** Controls of open dimensions; those of one name change together. */
class Dimensions {
  #named = new Map();

  control(dim, at, shape) {
    if (typeof dim === 'number') return dim;
    const input = element('input', { type: 'number', min: 0, step: 1, value: guess(dim, at, shape) });
    if (dim === '') return input;
    const same = this.#named.get(dim) ?? [];
    if (same.length > 0) input.value = same[0].value;
    this.#named.set(dim, [...same, input]);
    input.addEventListener('input', () => {
      for (const other of this.#named.get(dim)) {
        if (other === input || other.value === input.value) continue;
        other.value = input.value;
        other.dispatchEvent(new Event('input'));
      }
    });
    return input;
  }
}

/** Fills `root` with the forms; gives back a function that makes the feeds. */
export function showInputs(root, inputs) {
  const dimensions = new Dimensions();
  const forms = inputs.map((meta) => new InputForm(meta, dimensions));
  root.replaceChildren(...forms.map((form) => form.root));
  if (forms.length === 0) root.append(element('p', {}, 'The model has no inputs.'));
  return async () => {
    const feeds = {};
    for (const form of forms) {
      const value = await form.value();
      if (value) feeds[form.meta.name] = value;
    }
    return feeds;
  };
}
