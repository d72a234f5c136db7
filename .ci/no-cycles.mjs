/**
 * An ESLint rule: no import, of types or at run time included, leads back to the file that it is in. The
 * graph is that of the whole TypeScript program, so a file that is linted by itself is judged like all.
 */
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** @type {WeakMap<ts.Program, Map<string, number>>} the strongly connected part of each file. */
const known = new WeakMap();

/** The file of a relative import, undefined for a package and for what is no source. */
function targetOf(from, specifier, files) {
  if (!specifier.startsWith(".")) return undefined;
  const path = resolve(dirname(from), specifier);
  return [path, `${path}.ts`, `${path}/index.ts`].find((one) => files.has(one));
}

/** The relative imports of a file: import, export from, import() and import types. */
function specifiersIn(file) {
  const found = [];
  const visit = (node) => {
    const { moduleSpecifier, argument, expression } = node;
    if (moduleSpecifier !== undefined) found.push(moduleSpecifier);
    else if (ts.isImportTypeNode(node)) found.push(argument.literal);
    else if (expression?.kind === ts.SyntaxKind.ImportKeyword) found.push(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.flatMap((one) => (one !== undefined && ts.isStringLiteral(one) ? one.text : []));
}

/** Tarjan's algorithm: files with the same number lead to each other. */
function partsOf(program) {
  const sources = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
  const files = new Set(sources.map(({ fileName }) => resolve(fileName)));
  const graph = new Map(
    sources.map((file) => {
      const name = resolve(file.fileName);
      return [name, specifiersIn(file).flatMap((one) => targetOf(name, one, files) ?? [])];
    }),
  );
  const [seen, low, parts, stack] = [new Map(), new Map(), new Map(), []];
  const walk = (file) => {
    seen.set(file, seen.size);
    low.set(file, seen.get(file));
    stack.push(file);
    for (const next of graph.get(file)) {
      if (!seen.has(next)) walk(next);
      if (!parts.has(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== seen.get(file)) return;
    for (const one of stack.splice(stack.indexOf(file))) parts.set(one, seen.get(file));
  };
  for (const file of graph.keys()) if (!seen.has(file)) walk(file);
  return { files, parts };
}

export default {
  meta: { type: "problem", schema: [], messages: { cycle: "{{ file }} imports this file again" } },
  create(context) {
    const { program } = context.sourceCode.parserServices;
    if (!known.has(program)) known.set(program, partsOf(program));
    const { files, parts } = known.get(program);
    const judge = (node) => {
      if (typeof node.source?.value !== "string") return;
      const target = targetOf(context.filename, node.source.value, files);
      if (target === undefined || parts.get(target) !== parts.get(context.filename)) return;
      context.report({ node, messageId: "cycle", data: { file: node.source.value } });
    };
    return {
      ImportDeclaration: judge,
      ExportNamedDeclaration: judge,
      ExportAllDeclaration: judge,
      ImportExpression: judge,
      TSImportType: judge,
    };
  },
};
