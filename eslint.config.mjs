// Lint rules and the import boundaries of ARCHITECTURE.md: which folder may import which.
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";
import complexity from "./.ci/complexity.mjs";
import noCycles from "./.ci/no-cycles.mjs";
import rooms from "./.ci/rooms.mjs";

/** Forbids imports that match any of the patterns, type-only ones included. */
const forbid = (...groups) => ({
  "no-restricted-imports": [
    "error",
    { patterns: groups.map(([regex, message]) => ({ regex, message })) },
  ],
});

/** The rules of this project's own. */
const engine = { rules: { complexity, "no-cycles": noCycles, rooms } };

const openid = ["^openid-client", "only adapters/kubernetes uses it"];

export default tseslint.config(
  { ignores: ["dist/", "coverage/", "node_modules/", ".cache/"] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname },
    },
    plugins: { engine },
    rules: {
      // Warnings are questions to think about: a limit that is met by cutting up what belongs together
      // makes the code worse.
      "engine/complexity": ["warn", 10],
      "max-lines": ["warn", { max: 700 }],
      "max-lines-per-function": ["warn", { max: 60 }],
      "max-depth": ["error", 4],
      "max-params": ["error", 5],
      "no-control-regex": "off",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-definitions": "off",
      "no-restricted-properties": [
        "error",
        { object: "process", property: "exit", message: "set process.exitCode in a main.ts" },
      ],
    },
  },
  {
    files: ["plugin/**/*.ts", "webhook/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "AssignmentExpression[left.object.name='privateKeys']",
          message: "only tests replace the maker of keys",
        },
        {
          selector: "Program > VariableDeclaration[kind='let']",
          message: "state belongs to an instance, or to who is given it",
        },
        {
          selector:
            "NewExpression[callee.name='Proxy'], CallExpression[callee.object.name='Object'][callee.property.name='create']",
          message: "a decorator is a function from port to port: ports/delegate.ts",
        },
      ],
    },
  },
  // the process is the one owner of what it has begun and ended
  { files: ["plugin/main.ts"], rules: { "no-restricted-syntax": "off" } },
  {
    files: ["plugin/**/*.ts", "webhook/**/*.ts"],
    ignores: ["plugin/adapters/kubernetes/**"],
    rules: forbid(openid),
  },
  {
    files: [
      "plugin/domain/**/*.ts",
      "plugin/commands/*/{,*-}{checks,findings,next}.ts",
      "plugin/commands/*/{flags,plan}.ts",
    ],
    // types alone, which leave nothing in the program
    ignores: ["plugin/domain/kube/{models,typed}.ts"],
    rules: {
      ...forbid(["^(?!\\.)", "what only computes imports no package"]),
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "time comes in as a value" },
        { object: "process", property: "env", message: "the domain reads no environment" },
      ],
      "no-restricted-globals": ["error", "process", "console", "setTimeout", "fetch", "require"],
    },
  },
  {
    files: ["plugin/domain/advisories/language.ts"],
    rules: forbid([
      "^(?!\\.|@marcbachmann/cel-js$)",
      "it imports the package of its language alone",
    ]),
  },
  {
    files: ["plugin/**/*.ts", "webhook/**/*.ts"],
    rules: { "engine/rooms": "error" },
  },
  {
    files: ["plugin/**/*.ts", "webhook/**/*.ts", "test/**/*.ts"],
    rules: { "engine/no-cycles": "error" },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "engine/complexity": "off",
      "max-lines": "off",
      "max-lines-per-function": "off",
      "@typescript-eslint/no-empty-function": "off",
    },
  },
  { files: ["**/*.mjs", "**/*.cjs", "**/*.js"], ...tseslint.configs.disableTypeChecked },
);
