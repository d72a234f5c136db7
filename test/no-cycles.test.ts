/** The rule of lint that refuses cycles of imports. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { aFolder } from "./support/a-folder";

const root = join(__dirname, "..");
const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(root, path)).href);

/** What lint says of the files of a project, each as `FILE: MESSAGE`. */
function lint(files: Readonly<Record<string, string>>, linted: readonly string[]) {
  const folder = aFolder("cycles");
  const config = `import parser from ${urlOf("node_modules/@typescript-eslint/parser/dist/index.js")};
import noCycles from ${urlOf(".ci/no-cycles.mjs")};
export default [{
  files: ["**/*.ts"],
  languageOptions: { parser, parserOptions: { project: true, tsconfigRootDir: import.meta.dirname } },
  plugins: { engine: { rules: { "no-cycles": noCycles } } },
  rules: { "engine/no-cycles": "error" },
}];`;
  const all = {
    "eslint.config.mjs": config,
    "tsconfig.json": '{"compilerOptions": {"noEmit": true}, "include": ["*.ts"]}',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
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

test("a planted cycle fails lint, whatever kind of import closes it and whichever file is linted", () => {
  const others = Object.keys(leading).map((name) => {
    const file = name.replace("-b.ts", "-b");
    return [name.replace("-b.ts", "-a.ts"), backTo(file)] as const;
  });
  const files = { ...Object.fromEntries(others), ...leading, ...circle };
  const found = lint(files, [...Object.keys(leading), ...Object.keys(circle)]);
  expect([...found].sort()).toEqual([
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
