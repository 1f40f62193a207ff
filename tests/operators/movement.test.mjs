// The rows of rows/movement.mjs through the built package.
import { testFile } from './check.mjs';

await testFile('movement');
