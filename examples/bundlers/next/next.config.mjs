import { join } from 'node:path';

// A static page: `next build` writes it to out/. The root is the folder above, where app.js of all examples lies.
export default { output: 'export', turbopack: { root: join(import.meta.dirname, '..') } };
