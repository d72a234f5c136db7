import { helmWords, isDeployed } from "../../../../plugin/domain/operator/refusals";

const upgrade = {
  name: "n",
  chart: "./c",
  version: "1.0.0",
  sets: [],
  values: undefined,
  dryRun: false,
};

test.each([
  [{}, []],
  [{ sets: ["a.b=true"], values: "f.yaml" }, ["--set", "a.b=true", "--values", "f.yaml"]],
])("helm is never forced, and keeps values: %j", (more, words) => {
  const base = "helm upgrade n ./c --version 1.0.0 --reset-then-reuse-values".split(" ");
  expect(helmWords({ ...upgrade, ...more })).toEqual([...base, ...words]);
});

test.each([
  [undefined, "1.0.0", false],
  ["deployed c-1.0.0", "1.0.0", true],
  ["deployed c-1.0.0", "v1.0.0", true],
  ["deployed c-v1.0.0", "1.0.0", true],
  ["deployed c-1.0.0-2", "1.0.0", false],
  ["failed c-1.0.0", "1.0.0", false],
])("%s is at %s: %s", (is, version, deployed) => {
  const [status = "", chart = ""] = (is ?? "").split(" ");
  expect(isDeployed(is === undefined ? undefined : { name: "n", status, chart }, version)).toBe(
    deployed,
  );
});
