// The rows of rows/ml.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('ml');
