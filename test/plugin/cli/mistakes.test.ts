import { findNextStep } from "../../../plugin/cli/mistakes";

const paths = [
  ...["check", "cert create", "modules install"],
  ...["upgrade", "upgrade-webhook", "upgrade-database"],
];

test.each([
  ["unknown command: chekc (did you mean check?)", "kubectl engine check --help"],
  ["unknown command: undo", expect.stringMatching(/^put it back with the command/)],
  ["unknown command: logs", "use kubectl logs, without engine"],
  ["unknown command: webhook", "kubectl engine upgrade-webhook"],
  ["unknown command: install-modules", "kubectl engine modules install --help"],
  ["unknown command: nosuch", undefined],
  [
    'unexpected "webhook": kubectl engine upgrade takes no argument; see kubectl engine upgrade --help',
    "kubectl engine upgrade-webhook --help",
  ],
  [
    'unexpected "database", "shop/orders": kubectl engine upgrade takes no argument; see kubectl engine upgrade --help',
    "kubectl engine upgrade-database shop/orders",
  ],
  [
    'unexpected "database", "a b": kubectl engine upgrade takes no argument; see',
    "kubectl engine upgrade-database --help",
  ],
  ["unknown command: restart", "kubectl engine recover"],
  ["unknown flag: --json", "ask for it with -o json"],
  ["unknown flag: -y", "answer every question with --yes"],
  ["unknown flag: --force", expect.stringContaining("--skip CODE")],
  ["--target: goes with --release", "give --release too, or leave --target out"],
  ["--dry-run: needs a value", expect.stringContaining("--dry-run=server")],
  [
    '--dry-run: "true" is not one of none, client, server',
    expect.stringContaining("--dry-run=server"),
  ],
  ['--output: "table" is not one of text, json', expect.stringMatching(/^leave it out/)],
  ['--dry-run: "severe" is not one of none, client, server', undefined],
  ['unexpected "shop": kubectl engine check takes no argument; see', undefined],
  ["unknown flag: -A", expect.stringMatching(/^leave it out/)],
  ["unknown flag: --all-namespaces", expect.stringMatching(/^leave it out/)],
  ["unknown flag: -f", expect.stringContaining("validate -f FILE")],
  ["--target: give the tag to upgrade to, or --auto", expect.stringContaining("status")],
  ["--engine-version: give the version, or latest", expect.stringContaining("status")],
  ["unknown flag: --targt (did you mean --target?)", undefined],
])("%s: %s", (problem, step) => {
  expect(findNextStep(problem, paths)).toEqual(step);
});
