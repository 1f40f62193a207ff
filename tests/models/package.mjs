// The package that the tests run: dist/ as it was built, or the module whose path SARDONYX_PACKAGE gives.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { SARDONYX_PACKAGE } = process.env;
const url = SARDONYX_PACKAGE
  ? pathToFileURL(resolve(SARDONYX_PACKAGE))
  : new URL('../../dist/index.js', import.meta.url);

export const { env, InferenceSession, Tensor, OnnxError } = await import(url.href);
