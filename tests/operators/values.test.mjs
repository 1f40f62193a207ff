// The rows of rows/values.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('values');
