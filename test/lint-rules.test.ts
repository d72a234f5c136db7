/** The project's own rules of lint: no import cycles, the house of ARCHITECTURE.md, and complexity. */
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
import complexity from ${urlOf(".ci/complexity.mjs")};
import noCycles from ${urlOf(".ci/no-cycles.mjs")};
import rooms from ${urlOf(".ci/rooms.mjs")};
export default [{
  files: ["**/*.ts"],
  languageOptions: { parser, parserOptions: { project: true, tsconfigRootDir: import.meta.dirname } },
  plugins: { engine: { rules: { complexity, "no-cycles": noCycles, rooms } } },
  rules: { "engine/complexity": ["warn", 3], "engine/no-cycles": "error", "engine/rooms": "error" },
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

/** By rule of ARCHITECTURE.md, an import that the house refuses, and what is said of it. */
const refused: readonly (readonly [from: string, to: string, why: string])[] = [
  // 1: rooms
  ["commands/unbind-scc/unbind", "commands/cert/plan", "what two rooms need lies in domain"],
  ["commands/policy/cel", "commands/cert/plan", "what two rooms need lies in domain"],
  ["commands/diff/diff", "commands/cert/checks", "what two rooms need lies in domain"],
  ["commands/upgrade/upgrade", "commands/status/next", "what two rooms need lies in domain"],
  ["commands/status/status", "commands/cert/create", "a whole imports only checks, findings and"],
  ["commands/validate/command", "commands/cert/flags", "a whole imports only checks, findings and"],
  // 2: lists, and what collects from all rooms
  ["commands/recover/recover", "commands/checks", "only check, upgrade, explain import"],
  ["commands/recover/recover", "commands/parts", "only upgrade import commands/parts.ts"],
  ["commands/parts", "commands/cert/create", "commands/parts.ts imports one kind of file alone"],
  ["commands/checks", "commands/cert/next", "commands/checks.ts imports one kind of file alone"],
  ["output/text", "commands/cert/plan", "outside of the rooms only the lists import them"],
  ["cli/run", "commands/cert/command", "outside of the rooms only the lists import them"],
  ["cmdutil/part-command", "commands/checks", "only check, upgrade, explain import"],
  // 3: floors
  ["cli/run", "simulator/model", "cli imports cmdutil, output"],
  ["commands/cert/command", "simulator/model", "commands/cert imports cmdutil, output"],
  ["cmdutil/part-command", "cli/run", "cmdutil imports cmdutil, output"],
  ["output/text", "kernel/send", "output imports kernel/report.ts, domain alone"],
  ["readers/snapshot", "adapters/helm", "readers imports kernel, ports, domain alone"],
  ["kernel/send", "readers/snapshot", "kernel imports ports, domain alone"],
  ["ports/kubernetes", "kernel/wait", "ports imports domain alone"],
  ["adapters/helm", "kernel/wait", "adapters imports ports, domain alone"],
  ["simulator/model", "kernel/wait", "simulator imports adapters, ports, domain alone"],
  ["domain/facts/facts", "ports/kubernetes", "domain/facts imports domain/base"],
  ["shared/things", "domain/base/values", "plugin/shared/things.ts is in no folder of the house"],
  // 5: the folders of domain
  ["domain/base/duration", "domain/kube/kinds", "domain/base imports itself alone"],
  ["domain/kube/kinds", "domain/names/names", "domain/kube imports domain/base alone"],
  [
    "domain/names/names",
    "domain/facts/facts",
    "domain/names imports domain/base, domain/kube alone",
  ],
  ["domain/rules/order", "domain/facts/facts", "domain/rules imports domain/base"],
  // 5: the webhook
  ["webhook/app", "kernel/wait", "webhook imports adapters/http, adapters/kubernetes"],
  ["webhook/app", "adapters/helm", "webhook imports adapters/http, adapters/kubernetes"],
  ["webhook/app", "commands/cert/checks", "outside of the rooms only the lists import them"],
];

/** The same of a type, which no program loads. */
const refusedTypes: typeof refused = [
  ["commands/modules/install", "commands/cert/plan", "what two rooms need lies in domain"],
  ["kernel/wait", "readers/prober", "kernel imports ports, domain alone"],
  ["domain/base/values", "domain/facts/facts", "domain/base imports itself alone"],
  ["webhook/server", "kernel/wait", "webhook imports adapters/http, adapters/kubernetes"],
];

/** What stands in each room and on each floor, and is allowed. */
const allowed: readonly (readonly [from: string, to: string])[] = [
  ["commands/cert/create", "kernel/send"],
  ["commands/cert/create", "commands/cert/plan"],
  ["commands/status/screen", "commands/cert/next"],
  ["commands/check/check", "commands/checks"],
  ["commands/checks", "commands/cert/checks"],
  ["commands/upgrade/upgrade", "commands/parts"],
  ["commands/parts", "commands/cert/part"],
  ["commands/explain/catalogue", "commands/cert/create"],
  ["commands/rehearse/command", "simulator/model"],
  ["cli/commands", "commands/cert/command"],
  ["output/page", "kernel/report"],
  ["domain/kube/objects", "domain/base/values"],
  ["webhook/app", "adapters/http/exchange"],
  ["webhook/app", "domain/rules/order"],
];

/** 4: a file that only computes, by its name, and what it reaches by way of another one. */
const reaching: readonly (readonly [from: string, to: string])[] = [
  ...["checks", "site-checks", "findings", "next", "flags", "plan"].map(
    (name) => [`commands/modules/${name}`, "commands/modules/helper"] as const,
  ),
  ["commands/modules/helper", "readers/prober"],
  ["commands/unbind-scc/plan", "kernel/send"],
];

/** What only computes may know the types of what acts. */
const knowing: typeof reaching = [["commands/cert/next", "kernel/send"]];

/** The path of a file, which is named below plugin/ where it is not of the webhook. */
const pathOf = (name: string): string =>
  name.startsWith("webhook/") ? `${name}.ts` : `plugin/${name}.ts`;

type Imports = readonly (readonly [from: string, to: string, ...more: string[]])[];

/** Each file with all of its imports. */
function plant(values: Imports, types: Imports) {
  const all = [...values, ...types].flatMap(([from, to]) => [from, to]);
  const write = (from: string, imports: Imports, statement: (path: string) => string) =>
    imports
      .filter(([other]) => other === from)
      .map(([, to]) => {
        const path = relative(dirname(pathOf(from)), pathOf(to)).replace(/\.ts$/u, "");
        return `${statement(path.startsWith(".") ? path : `./${path}`)}\n`;
      })
      .join("");
  return Object.fromEntries(
    all.map((name) => [
      pathOf(name),
      [
        write(name, values, (path) => `import "${path}";`),
        write(name, types, (path) => `import type { it as other } from "${path}";`),
        "export const it = 1;\n",
      ].join(""),
    ]),
  );
}

const house = plant([...refused, ...allowed, ...reaching], [...refusedTypes, ...knowing]);
const others = Object.fromEntries(
  Object.keys(leading).map((name) => {
    const file = name.replace("-b.ts", "-b");
    return [name.replace("-b.ts", "-a.ts"), backTo(file)] as const;
  }),
);
/** Functions of a complexity of four by ESLint's own count, of which the rule counts only the branches. */
const branching = {
  "chained.ts": "export const a = (b?: { c?: { d?: number } }) => b?.c?.d ?? 0;\n",
  "assigned.ts": "export function a(b?: number) { b ??= 1; b ??= 2; b ??= 3; return b; }\n",
  "ifs.ts": "export const a = (b: number) => (b > 1 && b > 2) || b < 0 || b === 0;\n",
  "mixed.ts": "export const a = (b?: { c: boolean }) => (b?.c ?? false) || (b && b.c) || !b;\n",
  "grown.ts": "export function a(b: number) { b ||= 1; b &&= 2; b ||= 3; return b; }\n",
};
const files = { ...others, ...leading, ...circle, ...house, ...branching };
let found: readonly string[] = [];

beforeAll(() => {
  const linted = [leading, circle, house, branching].flatMap((some) => Object.keys(some));
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
  expect(found).toContainEqual(expect.stringContaining(`${pathOf(from)}: ${why}`));
});

test.each(refusedTypes)("%s may not import a type of %s", (from, _to, why) => {
  expect(found).toContainEqual(expect.stringContaining(`${pathOf(from)}: ${why}`));
});

const computing = reaching.filter(([from]) => !from.endsWith("/helper"));

test.each(computing)("%s only computes, and loads nothing that acts by way of %s", (from, to) => {
  const acts = to.startsWith("kernel/") ? to : "readers/prober";
  expect(found).toContain(
    `${pathOf(from)}: a file of this name only computes, and it loads ${pathOf(acts)}`,
  );
});

test("nothing else of the house is refused", () => {
  const ofHouse = found.filter((line) => /^(?:plugin|webhook)\//u.test(line));
  expect(ofHouse).toHaveLength(refused.length + refusedTypes.length + computing.length);
});

test("complexity counts branches, and neither `?.` nor `??`", () => {
  const counted = found.filter((line) => line.includes("complexity"));
  expect(counted.map((line) => line.replace(/:.* complexity of (\d+).*/, ": $1")).sort()).toEqual([
    "grown.ts: 4",
    "ifs.ts: 4",
    "mixed.ts: 4",
  ]);
});
