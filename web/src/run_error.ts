// The error of a node in a run, loaded when there is one.
import { dtypeName } from './dtypes.js';
import { OnnxError } from './errors.js';
import type { NativeValue } from './native.js';
import type { Tensor } from './tensor.js';
import { fromNative } from './values.js';

/** Of a run, in messages. */
const kMostFeeds = 8;

// Types and shapes; scalars, which often are settings, with their value.
function feedText(feed: NativeValue): string {
  if (feed === null) return 'nothing';
  if ('items' in feed) return 'a sequence';
  if ('keys' in feed) return 'a map';
  const { dtype, dims } = feed;
  const value =
    dims.length === 0 && 'data' in feed && feed.data.length > 0
      ? ` ${String((fromNative(feed) as Tensor).data[0])}`
      : '';
  return `${dtypeName(dtype)}[${dims.join(', ')}]${value}`;
}

/**
 * The error, which says with which feeds. What the node blames on the model is the feeds' fault, since with others it
 * may run.
 */
export function withFeeds(
  error: OnnxError,
  feeds: readonly NativeValue[],
  inputs: readonly { name: string }[],
): OnnxError {
  const texts = feeds.slice(0, kMostFeeds).map((feed, i) => `"${inputs[i]?.name}" ${feedText(feed)}`);
  if (feeds.length > kMostFeeds) texts.push('...');
  const code = error.code === 'invalid_model' ? 'invalid_input' : error.code;
  return new OnnxError(code, `${error.message}; the run was given ${texts.join(', ') || 'no inputs'}`, error);
}
