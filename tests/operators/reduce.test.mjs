// The rows of rows/reduce.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('reduce');
