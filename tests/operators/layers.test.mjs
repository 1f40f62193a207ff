// The rows of rows/layers.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('layers');
