/** The rules of lint about imports: no cycles, and the house of ARCHITECTURE.md. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { aFolder } from "./support/a-folder";

const root = join(__dirname, "..");
const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(root, path)).href);

/** What lint says of the files of a project, each as `FILE: MESSAGE`. */
function lint(files: Readonly<Record<string, string>>, linted: readonly string[]) {
  const folder = aFolder("cycles");
  const config = `import parser from ${urlOf("node_modules/@typescript-eslint/parser/dist/index.js")};
import noCycles from ${urlOf(".ci/no-cycles.mjs")};
import rooms from ${urlOf(".ci/rooms.mjs")};
export default [{
  files: ["**/*.ts"],
  languageOptions: { parser, parserOptions: { project: true, tsconfigRootDir: import.meta.dirname } },
  plugins: { engine: { rules: { "no-cycles": noCycles, rooms } } },
  rules: { "engine/no-cycles": "error", "engine/rooms": "error" },
}];`;
  const all = {
    "eslint.config.mjs": config,
    "tsconfig.json": '{"compilerOptions": {"noEmit": true}, "include": ["**/*.ts"]}',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const eslint = join(root, "node_modules/eslint/bin/eslint.js");
  const args = [eslint, "--format", "json", ...linted];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const results = JSON.parse(stdout) as { filePath: string; messages: { message: string }[] }[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ message }) => `${filePath.slice(folder.length + 1)}: ${message}`),
  );
}

const backTo = (file: string): string =>
  `import { b } from "./${file}";\nexport const a = (): number => b;\n`;

/** Each of these leads back to the file of its name with an a. */
const leading = {
  "import-b.ts": 'import { a } from "./import-a";\nexport const b = 1;\nexport const c = a;\n',
  "type-b.ts":
    'import type { a } from "./type-a";\nexport const b = 1;\nexport type A = typeof a;\n',
  "place-b.ts": 'export const b = 1;\nexport type A = typeof import("./place-a").a;\n',
  "run-b.ts": 'export const b = 1;\nexport const c = () => import("./run-a.ts");\n',
  "export-b.ts": 'export const b = 1;\nexport { a } from "./export-a";\n',
};

/** Three in a circle; the fourth leads to it and is not in it. */
const circle = {
  "one.ts": 'import { two } from "./two";\nexport const one = (): number => two();\n',
  "two.ts": 'import { three } from "./three";\nexport const two = (): number => three();\n',
  "three.ts": 'import { one } from "./one";\nexport const three = (): number => one();\n',
  "four.ts": 'import { one } from "./one";\nexport const four = one;\n',
};

/** An import that the house refuses, and what is said of it. */
const refused: readonly (readonly [from: string, to: string, why: string])[] = [
  ["commands/unbind-scc/unbind", "commands/cert/plan", "what two rooms need lies in domain"],
  ["commands/policy/cel", "commands/cert/plan", "what two rooms need lies in domain"],
  ["commands/upgrade/upgrade", "commands/status/next", "what two rooms need lies in domain"],
  [
    "commands/status/status",
    "commands/cert/create",
    "a whole imports only checks, findings and next",
  ],
  ["commands/recover/plan", "commands/checks", "only check, status, upgrade, explain import"],
  ["commands/parts", "commands/cert/create", "commands/parts.ts imports one kind of file alone"],
  ["output/text", "commands/cert/plan", "outside of the rooms only the lists import them"],
  ["cli/run", "simulator/model", "cli imports cmdutil, output"],
  ["commands/cert/command", "simulator/model", "commands/cert imports cmdutil, output"],
  ["kernel/send", "readers/snapshot", "kernel imports ports, domain alone"],
  ["domain/base/duration", "domain/kube/kinds", "domain/base imports itself alone"],
  ["domain/rules/order", "domain/facts/facts", "domain/rules imports domain/base"],
  ["simulator/model", "kernel/wait", "simulator imports adapters, ports, domain alone"],
];

/** What stands in each room and on each floor, and is allowed. */
const allowed: readonly (readonly [from: string, to: string])[] = [
  ["commands/cert/create", "kernel/send"],
  ["commands/cert/create", "commands/cert/plan"],
  ["commands/status/screen", "commands/cert/next"],
  ["commands/check/check", "commands/checks"],
  ["commands/checks", "commands/cert/checks"],
  ["commands/rehearse/command", "simulator/model"],
  ["domain/kube/objects", "domain/base/values"],
];

/** A file that only computes, and reaches what acts by way of another one. */
const reaching: readonly (readonly [from: string, to: string])[] = [
  ["commands/modules/checks", "commands/modules/helper"],
  ["commands/modules/helper", "readers/prober"],
];

/** Each file with all of its imports. */
function planted(imports: readonly (readonly [from: string, to: string])[]) {
  const names = new Set(imports.flat());
  return Object.fromEntries(
    [...names].map((name) => {
      const targets = imports.filter(([from]) => from === name).map(([, to]) => to);
      const lines = targets.map((to) => {
        const path = relative(dirname(name), to);
        return `import "${path.startsWith(".") ? path : `./${path}`}";\n`;
      });
      return [`plugin/${name}.ts`, `${lines.join("")}export const it = 1;\n`];
    }),
  );
}

const house = planted([
  ...refused.map(([from, to]) => [from, to] as const),
  ...allowed,
  ...reaching,
]);
const others = Object.fromEntries(
  Object.keys(leading).map((name) => {
    const file = name.replace("-b.ts", "-b");
    return [name.replace("-b.ts", "-a.ts"), backTo(file)] as const;
  }),
);
const files = { ...others, ...leading, ...circle, ...house };
let found: readonly string[] = [];

beforeAll(() => {
  const linted = [...Object.keys(leading), ...Object.keys(circle), ...Object.keys(house)];
  found = lint(files, linted);
});

test("a planted cycle fails lint, whatever kind of import closes it and whichever file is linted", () => {
  expect(found.filter((line) => line.includes("again")).sort()).toEqual([
    "export-b.ts: ./export-a imports this file again",
    "import-b.ts: ./import-a imports this file again",
    "one.ts: ./two imports this file again",
    "place-b.ts: ./place-a imports this file again",
    "run-b.ts: ./run-a.ts imports this file again",
    "three.ts: ./one imports this file again",
    "two.ts: ./three imports this file again",
    "type-b.ts: ./type-a imports this file again",
  ]);
});

test.each(refused)("%s may not import %s", (from, _to, why) => {
  expect(found).toContainEqual(expect.stringContaining(`plugin/${from}.ts: ${why}`));
});

test("a file that only computes loads nothing that acts, by whatever way", () => {
  expect(found).toContain(
    "plugin/commands/modules/checks.ts: a file of this name only computes, and it loads plugin/readers/prober.ts",
  );
});

test("nothing else of the house is refused", () => {
  const ofHouse = found.filter((line) => line.startsWith("plugin/"));
  expect(ofHouse).toHaveLength(refused.length + 1);
});
