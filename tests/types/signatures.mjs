// Every public signature of onnxruntime-common as a call of the module 'ort', with parameters and results of the types that
// have the same names there; and every type by its name.
import ts from 'typescript';

// Its class takes and gives a Uint8Array.
const kWrong = ['ort.Tensor.DataTypeMap.int4'];
const kFormat = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseFullyQualifiedType;

/** @param {string} index onnxruntime-common's index.d.ts @returns {string[]} statements of TypeScript */
export function usesOf(index) {
  const program = ts.createProgram([index], {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const resolved = (s) => (s.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(s) : s);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)));
  const names = symbols.map((s) => s.name);
  const theirNames = new RegExp(`(?<![."'\\w])(${names.join('|')})\\b(?!["'])`, 'g');
  const textOf = (type) =>
    checker
      .typeToString(type, undefined, kFormat)
      .replaceAll(/import\("[^"]+"\)\./g, '')
      .replace(theirNames, 'ort.$1');

  const uses = [];
  function call(what, signature, how) {
    const parameters = signature.parameters.map((p) => {
      const optional = p.valueDeclaration.questionToken !== undefined;
      return { name: p.name, optional, type: textOf(checker.getTypeOfSymbol(p)) };
    });
    const generic = (signature.typeParameters ?? []).map((t) => `${textOf(t)} extends ${textOf(t.getConstraint())}`);
    const declared = parameters.map(({ name, type }) => `${name}: ${type}`);
    const result = textOf(signature.getReturnType());
    const least = parameters.filter((p) => !p.optional).length;
    const calls = [];
    for (let n = least; n <= parameters.length; n++) {
      const given = parameters.slice(0, n).map((p) => (p.optional ? `${p.name}!` : p.name));
      calls.push(`  const r${n}: ${result} = ${how}(${given.join(', ')});`);
    }
    const type = generic.length > 0 ? `<${generic.join(', ')}>` : '';
    uses.push(
      `// ${what}\nexport const use${uses.length} = ${type}(${declared.join(', ')}) => {\n${calls.join('\n')}\n};`,
    );
  }
  function members(type, what, how, extra = '') {
    for (const member of type.getProperties()) {
      if (member.name === 'prototype') continue;
      const memberType = checker.getTypeOfSymbol(member);
      const signatures = memberType.getCallSignatures();
      for (const s of signatures) call(`${what}.${member.name}`, s, `${how}.${member.name}`);
      if (signatures.length === 0)
        uses.push(
          `// ${what}.${member.name}\nexport const use${uses.length} = (${extra}): ${textOf(memberType)} => ${how}.${member.name};`,
        );
    }
  }
  /** Each field of an interface is read; those that can be written are. */
  function fields(symbol, name) {
    for (const property of checker.getDeclaredTypeOfSymbol(symbol).getProperties()) {
      const { name: field, valueDeclaration } = property;
      if (!valueDeclaration || !ts.isPropertySignature(valueDeclaration) || kWrong.includes(`${name}.${field}`))
        continue;
      const type = textOf(checker.getTypeOfSymbol(property));
      const at = `x[${JSON.stringify(field)}]`;
      const constant = valueDeclaration.modifiers?.some((m) => m.kind === ts.SyntaxKind.ReadonlyKeyword);
      const write = constant ? '' : `\n  ${at} = value;`;
      uses.push(
        `// ${name}.${field}\nexport const use${uses.length} = (x: ${name}, value: NonNullable<${type}>): ${type} => {${write}\n  return value ?? ${at};\n};`,
      );
    }
  }
  function types(symbol, name) {
    const [declaration] = symbol.declarations.filter(
      (d) => ts.isInterfaceDeclaration(d) || ts.isTypeAliasDeclaration(d),
    );
    if (declaration) {
      const parameters = (declaration.typeParameters ?? []).map(() => `'float32'`);
      uses.push(`export type Use${uses.length} = ${name}${parameters.length > 0 ? `<${parameters.join()}>` : ''};`);
      if (ts.isInterfaceDeclaration(declaration) && parameters.length === 0) fields(symbol, name);
    }
    for (const inner of symbol.exports?.values() ?? []) types(inner, `${name}.${inner.name}`);
  }
  for (const exported of symbols) {
    const symbol = resolved(exported);
    const name = `ort.${exported.name}`;
    types(symbol, name);
    if (!(symbol.flags & ts.SymbolFlags.Value)) continue;
    const type = checker.getTypeOfSymbol(symbol);
    for (const s of type.getCallSignatures()) call(name, s, name);
    for (const s of type.getConstructSignatures()) call(`new ${name}`, s, `new ${name}`);
    members(type, name, name);
  }
  for (const name of ['InferenceSession', 'Tensor']) {
    const type = checker.getDeclaredTypeOfSymbol(resolved(symbols.find((s) => s.name === name)));
    uses.push(`declare const a${name}: ort.${name};`);
    members(type, `a ${name}`, `a${name}`);
  }
  return uses;
}
