// The package's version; tests/js/package.test.mjs holds it against package.json.

export const version = '0.1.0';
