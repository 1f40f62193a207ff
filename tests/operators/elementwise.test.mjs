// The rows of rows/elementwise.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('elementwise');
