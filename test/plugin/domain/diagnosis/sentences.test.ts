/** Sentences are written for people: whoever decides something reads codes, remedies and values, never a text. */
import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import ts from "typescript";
import { compilerOptions } from "../../../../tsconfig.json";

const root = join(__dirname, "../../../..");
const findings = "plugin/domain/base/findings.ts";
const sentences = ["cause", "fix"];

/** Where a sentence is compared all the same, and why. */
const allowed: Readonly<Record<string, string>> = {
  "plugin/output/text.ts": "how a run ended is not said again where a finding above says it",
  "plugin/commands/reapply-rbac/plan.ts": "what is the same in every word is told once",
  "plugin/commands/upgrade-webhook/read.ts": "a list that several rows miss is told once",
};

/** Methods by which a text is compared or taken apart. */
const cuts = [
  ...["slice", "split", "match", "matchAll", "replace", "replaceAll", "indexOf", "lastIndexOf"],
  ...["startsWith", "endsWith", "includes", "search", "substring", "at", "charAt"],
];
const lookups = ["get", "has", "set", "exec", "test", "includes", "indexOf"];

/** What is done with a value, where that decides something. */
function findDecision(use: ts.Node): string | undefined {
  const { parent } = use;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === use) {
    return cuts.includes(parent.name.text) ? `.${parent.name.text}()` : undefined;
  }
  if (ts.isBinaryExpression(parent)) {
    const { left, operatorToken, right } = parent;
    const isComparison = /^[=!]==$/u.test(operatorToken.getText());
    const other = left === use ? right : left;
    return isComparison && other.getText() !== "undefined" ? operatorToken.getText() : undefined;
  }
  if (ts.isTemplateSpan(parent)) return findDecision(parent.parent);
  const isLookup =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    lookups.includes(parent.expression.name.text);
  return isLookup ? parent.expression.getText() : undefined;
}

/** Every decision by a sentence of a finding in these sources, as `path:line: how`. */
function listDecisions(program: ts.Program, names: readonly string[]): readonly string[] {
  const checker = program.getTypeChecker();
  const isOfFinding = (symbol: ts.Symbol | undefined): boolean =>
    (symbol?.declarations ?? []).some(
      (one) => relative(root, one.getSourceFile().fileName) === findings,
    );
  /** The sentence itself, or a variable that holds one. */
  const isSentence = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node)) {
      const { name } = node;
      return sentences.includes(name.text) && isOfFinding(checker.getSymbolAtLocation(name));
    }
    if (!ts.isIdentifier(node)) return false;
    const bound = checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (bound === undefined || !ts.isBindingElement(bound) || bound.name === node) return false;
    const key = (bound.propertyName ?? bound.name).getText();
    const from = checker.getTypeAtLocation(bound.parent);
    return sentences.includes(key) && isOfFinding(from.getProperty(key));
  };
  return names.flatMap((name) => {
    const file = program.getSourceFile(join(root, name));
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const how = isSentence(node) ? findDecision(node) : undefined;
      if (file !== undefined && how !== undefined) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${name}:${line + 1}: ${how}`);
      }
      ts.forEachChild(node, visit);
    };
    if (file !== undefined) visit(file);
    return found;
  });
}

const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);

test("nothing decides by a sentence of a finding", () => {
  const listed = execFileSync("git", ["ls-files", "-z", "plugin", "webhook"], {
    cwd: root,
    encoding: "utf8",
  });
  const names = listed.split("\0").filter((name) => name.endsWith(".ts"));
  const program = ts.createProgram(
    names.map((name) => join(root, name)),
    options,
  );
  const found = listDecisions(program, names);
  expect(found.filter((one) => allowed[one.replace(/:.*$/su, "")] === undefined)).toEqual([]);
  // the law sees what is allowed
  expect(found.some((one) => one.startsWith("plugin/output/text.ts:"))).toBe(true);
}, 300_000);
