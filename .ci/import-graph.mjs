/** The relative imports of a whole TypeScript program, for the lint rules that judge them. */
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** @type {WeakMap<ts.Program, ReturnType<typeof readGraph>>} each program is read once. */
const known = new WeakMap();

/** The file of a relative import, undefined for a package and for what is no source. */
export function targetOf(from, specifier, files) {
  if (!specifier.startsWith(".")) return undefined;
  const path = resolve(dirname(from), specifier);
  return [path, `${path}.ts`, `${path}/index.ts`].find((one) => files.has(one));
}

/** Whether all names of an import or export are types: then the other file is not loaded. */
const namesTypes = ({ elements = [] }) =>
  elements.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly);

/** Whether an import or export statement loads the other file. */
function loadsOther({ importClause, exportClause, isTypeOnly }) {
  if (isTypeOnly === true) return false;
  if (importClause === undefined) return !namesTypes(exportClause ?? {});
  const { isTypeOnly: marked, name, namedBindings } = importClause;
  return !marked && (name !== undefined || !namesTypes(namedBindings ?? {}));
}

/** The imports of a source file, of which `loads` tells those that run the other file with it. */
export function importsIn(file) {
  const found = [];
  const visit = (node) => {
    const { moduleSpecifier, argument, expression } = node;
    if (moduleSpecifier !== undefined)
      found.push({ literal: moduleSpecifier, loads: loadsOther(node) });
    else if (ts.isImportTypeNode(node)) found.push({ literal: argument.literal, loads: false });
    else if (expression?.kind === ts.SyntaxKind.ImportKeyword)
      found.push({ literal: node.arguments[0], loads: false });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.flatMap(({ literal, loads }) =>
    literal !== undefined && ts.isStringLiteral(literal) ? { specifier: literal.text, loads } : [],
  );
}

function readGraph(program) {
  const sources = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
  const files = new Set(sources.map(({ fileName }) => resolve(fileName)));
  const imports = new Map(
    sources.map((file) => {
      const name = resolve(file.fileName);
      const own = importsIn(file).flatMap(({ specifier, loads }) => {
        const target = targetOf(name, specifier, files);
        return target === undefined ? [] : { target, loads };
      });
      return [name, own];
    }),
  );
  return { files, imports };
}

/** The files of a program, and the imports of each. */
export function graphOf(program) {
  if (!known.has(program)) known.set(program, readGraph(program));
  return known.get(program);
}

/** Calls `judge` with each relative import of the linted file that leads to a source. */
export function eachImport(context, judge) {
  const { files } = graphOf(context.sourceCode.parserServices.program);
  const visit = (node) => {
    if (typeof node.source?.value !== "string") return;
    const target = targetOf(context.filename, node.source.value, files);
    if (target !== undefined) judge(node, target);
  };
  return {
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  };
}
