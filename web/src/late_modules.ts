// All that sessions of one thread and tensors load late, at once. Imports nothing else: the bundle takes it as it is, so that
// each of these stays a file of its own.
import { Codecs } from './codecs.js';
import { bringCodecs } from './codecs_loading.js';
import { ExternalData } from './external_data.js';
import { heldTensor } from './held_tensor.js';
import { pixelsOf } from './image_pixels.js';
import { warnOfNames } from './option_names.js';
import { withFeeds } from './run_error.js';
import { selfTest } from './self_test.js';

export const lateModules = {
  codecs: { Codecs },
  codecs_loading: { bringCodecs },
  external_data: { ExternalData },
  held_tensor: { heldTensor },
  image_pixels: { pixelsOf },
  option_names: { warnOfNames },
  run_error: { withFeeds },
  self_test: { selfTest },
};
