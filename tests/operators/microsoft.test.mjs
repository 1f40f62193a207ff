// The rows of rows/microsoft.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('microsoft');
