import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { mapNames, namesTree } from "../../plugin/domain/names/names";

const root = join(__dirname, "../..");

/**
 * The names that can be told from English: a capital, a digit or a sign in them. Plain words as
 * `status` are fields of Kubernetes too; the runs under other names find those.
 */
const words = (() => {
  const found = new Set<string>();
  mapNames(namesTree, ({ value }) => {
    for (const word of typeof value === "string" ? [value] : value) found.add(word);
  });
  return [...found].filter((word) => /[^a-z]/.test(word));
})();

/** Plain words that are names when they stand alone. */
const plain = ["engine", "admission", "cert", "privateKey", "major", "latest"];

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** Whole words, longest first; a path, a hyphen or more of a version around one makes it another word. */
const pattern = new RegExp(
  `(?<![\\w./-])(?:${[...words]
    .sort((one, other) => other.length - one.length)
    .map(escaped)
    .join("|")})(?![\\w/-]|\\.\\d)`,
  "g",
);

const anywhere = /^/;

/** What may stay, and why. */
const allowed: readonly (readonly [file: RegExp, words: readonly string[], why: string])[] = [
  [anywhere, ["v1"], "the version of Kubernetes' own kinds and of reviews"],
  [anywhere, ["kubectl-engine"], "this tool's own name: executable, user agent, Role to ask for"],
  [
    /^(webhook|plugin\/(cli|simulator|cmdutil))\/|^plugin\/commands\/([-\w]+\/flags|rehearse\/.*)\.ts$/,
    ["engine-webhook"],
    "the webhook's executable",
  ],
  [/^plugin\/cmdutil\/common-flags\.ts$/, ["credentialsSecret"], "this tool's own key of a flag"],
  [/^plugin\/simulator\/rest-apis\.ts$/, ["7.4", "8.0", "8.2"], "versions that releases have"],
  [/^plugin\/adapters\/home\.ts$/, ["engine"], "the folder of this tool's records"],
  [
    /^plugin\/domain\/advisories\/(judge|row)\.ts$/,
    ["engine"],
    "what ranges of engine versions are of, and this tool's own name in commands of rows",
  ],
  [
    /^plugin\/commands\/upgrade-operator\/chart-changes\.ts$/,
    ["nodeSelector"],
    "a pod's own field, for which the resource's is named",
  ],
  [/^plugin\/commands\/cert\/(create|plan)\.ts$/, ["cert"], "the first word of `cert create`"],
  [/^plugin\/domain\/kube\/kinds\.ts$/, ["v1alpha1"], "the version of OLM's kinds"],
  [
    /^plugin\/domain\/(operator\/wanted|references\/table)\.ts$/,
    ["serviceAccountName"],
    "of a Deployment's pods",
  ],
  [/\/chart-changes\.ts$/, ["priorityClassName"], "of a Deployment's pods"],
  [
    /^plugin\/domain\/engine-cluster\/volumes\.ts$/,
    ["Resizing"],
    "a condition of Kubernetes' own claims",
  ],
  [/^plugin\/commands\/recover\/by-hand\.ts$/, ["engine"], "this tool's own name"],
  [/^plugin\/readers\/left-marks\.ts$/, ["v1alpha1"], "a version of Kyverno's policies"],
  [/^plugin\/domain\/diagnosis\/symptom\.ts$/, ["cert"], "the act of `cert create`"],
  [/^plugin\/domain\/(certificate\/certificate|admission\/faults)\.ts$/, ["cert"], "a command"],
  [
    /^plugin\/simulator\/(operator|kinds)\//,
    ["serviceAccountName", "imagePullPolicy"],
    "of Kubernetes' own kinds",
  ],
  [
    /^plugin\/commands\/(upgrade|upgrade-database|modules|recover)\/flags\.ts$/,
    ["7.2", "8.0"],
    "examples of the help",
  ],
  [/^plugin\/commands\/upgrade-database\/input\.ts$/, ["8.0"], "an example in a complaint"],
  [
    /^plugin\/(domain\/database\/bdb|simulator\/rest-api\/upgrade)\.ts$/,
    ["engineVersion"],
    "this tool's own key of the field; its name in a request is data",
  ],
  [/^plugin\/simulator\/rest-api\/archive\.ts$/, ["displayName"], "of a module's manifest"],
  [/^plugin\/domain\/operator\/wanted\.ts$/, ["securityContext"], "of Kubernetes' own kinds"],
  [/^plugin\/domain\/rollout\/pod-images\.ts$/, ["imagePullPolicy"], "of a container"],
  [/^plugin\/simulator\/operator\/clusters\.ts$/, ["7.2"], "a version that old releases bundle"],
];

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/^plugin\/domain\/names\//.test(path));
}

/** The texts of string literals and templates, without what is imported. */
function literalsOf(path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text);
    if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The names that stand in the literals of a file. */
const namesIn = (path: string): readonly string[] =>
  literalsOf(path).flatMap((text) => (plain.includes(text) ? [text] : (text.match(pattern) ?? [])));

const isAllowed = (path: string, word: string): boolean =>
  allowed.some(([file, known]) => file.test(path) && known.includes(word));

const paths = [...sources("plugin"), ...sources("webhook")];

test.each(paths)("%s holds no name of its own", (path) => {
  expect(namesIn(path).filter((word) => !isAllowed(path, word))).toEqual([]);
});

const terms = /(?<![\w-])(?:EC|EDB|EAADB|ERC)s?(?![\w-])/;
test.each(paths)("%s calls a kind by the term that the names have", (path) => {
  expect(literalsOf(path).filter((text) => terms.test(text))).toEqual([]);
});

test("what is allowed is still there", () => {
  const stale = allowed.flatMap(([file, known]) => {
    const found = paths.filter((path) => file.test(path)).flatMap(namesIn);
    return known.filter((word) => !found.includes(word));
  });
  expect(stale).toEqual([]);
});
