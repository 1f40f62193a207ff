// Emscripten's JavaScript for a module, made fit for bundlers, and with short names: it only takes the white space out of
// it; so it is half as large (25 KB instead of 51).
import { readFileSync } from 'node:fs';
import { minifySync, parseSync } from 'vite';

// The glue's own address, which it needs to find files and to start workers: the package does both. Bundlers that put it
// into a worker mistake the variable for another one.
const kAddress = [
  [/var _scriptName ?=[^;]*;/, ''],
  [/if ?\(ENVIRONMENT_IS_WORKER\) ?\{scriptDirectory ?=.*?lastIndexOf\("\/"\) ?\+ ?1\)\}/, ''],
  [/(var pthreadMainJs ?= ?)_scriptName/, '$1""'],
];

// How it would fetch the .wasm itself, which the package does for it: what only this uses is left out then.
const kFetching = [
  [/wasmBinaryFile ?\?\?= ?findWasmBinary\(\);instantiateAsync\(.*?\)\.catch\(readyPromiseReject\);return ?\{\}/, ''],
  [/\{if ?\(ENVIRONMENT_IS_WORKER\) ?\{readBinary ?=.*?readAsync ?=.*?response\.url\)\)\}\)\}/, ''],
];

/** The functions that are declared within a block, as nodes of the syntax tree. */
export function blockFunctions(code, path) {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const found = [];
  const visit = (node, inBlock) => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, inBlock);
    } else if (typeof node?.type === 'string') {
      if (node.type === 'FunctionDeclaration' && inBlock) found.push(node);
      const { body, ...others } = node;
      const isFunction = /Function/.test(node.type) && body?.type === 'BlockStatement';
      visit(Object.values(others), inBlock);
      visit(isFunction ? body.body : body, isFunction ? false : inBlock || node.type === 'BlockStatement');
    }
  };
  visit(program.body, false);
  return found;
}

// Where a bundler makes a script of it that is not strict, they would be variables of the function around, whose short
// names are then those of others.
function withoutBlockFunctions(code, path) {
  return blockFunctions(code, path).reduceRight((text, { start, end, id }) => {
    return `${text.slice(0, start)}var ${id.name}=${text.slice(start, end)};${text.slice(end)}`;
  }, code);
}

/** The minified glue of the file at `path`. Throws where it is not as this knows it. */
export function glueOf(path) {
  const text = [...kAddress, ...kFetching].reduce(
    (code, [from, to]) => code.replace(from, to),
    readFileSync(path, 'utf8'),
  );
  const left = /_scriptName|scriptDirectory ?= ?(?!"")|instantiateAsync\((?!binary)|XMLHttpRequest/.exec(text);
  if (left) throw new Error(`${path}: ${left[0]} is used in another way`);
  const { code, errors } = minifySync(path, withoutBlockFunctions(text, path), { module: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return code;
}
