import { readDefaults } from "../../../../plugin/cmdutil/spec";
import { upgrade as upgradeSpec } from "../../../../plugin/commands/upgrade/flags";
import { listWords } from "../../../../plugin/commands/upgrade/describe-plan";
import { renderPlan } from "../../../../plugin/commands/upgrade/text";
import type { PlannedStep, UpgradePlan } from "../../../../plugin/commands/upgrade/plan-document";
import { aPlan } from "./objects";

const step = (name: string): PlannedStep => ({
  part: "rbac-expand",
  object: `Role/${name}/edb-role`,
  action: "apply",
  why: "its rules differ",
  source: "S34",
  write: {
    verb: "patch",
    target: {
      group: "rbac.authorization.k8s.io",
      version: "v1",
      resource: "roles",
      kind: "Role",
      namespace: name,
      name: "edb-role",
    },
    risk: "the operator may do more",
    reverse: "kubectl replace -f FILE",
    command: "kubectl apply --server-side -f -",
  },
});

const plan = (steps: readonly PlannedStep[]): UpgradePlan =>
  aPlan({
    parts: [
      { id: "rbac-expand", title: "Widen RBAC", source: "S34" },
      { id: "operator", title: "Upgrade the operator", source: "S15-S23" },
      {
        id: "webhook",
        title: "Reapply the webhook",
        source: "S24",
        skipped: "not \u001b[1min use",
      },
    ],
    steps,
  });

test("with -v a plan is shown part by part, with permission, risk, way back and command", () => {
  expect(renderPlan(plan([step("shop")]), 1)).toEqual([
    "1. Widen RBAC (rbac-expand, S34)",
    "  apply Role/shop/edb-role: its rules differ (S34)",
    '      needs    patch roles.rbac.authorization.k8s.io "edb-role" in namespace shop',
    "      risk     the operator may do more",
    "      reverse  kubectl replace -f FILE",
    "      same as  kubectl apply --server-side -f -",
    "2. Upgrade the operator (operator, S15-S23): unchanged",
    "3. Reapply the webhook (webhook, S24): skipped, not \\x1b[1min use",
  ]);
});

test("a plan has a line for each write, and its risk where there is one", () => {
  const [first, ...others] = ["shop", "till", "web"].map(step);
  const image = { path: ".image", from: "engine/operator:7", to: "engine/operator:8" };
  const safe = others.map((one, at) => ({
    ...one,
    write: {
      ...one.write,
      risk: ["none, no value changes", "low: access is added"][at] ?? "",
      isHarmless: true as const,
    },
  }));
  const long = {
    ...step("x"),
    object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
  };
  const images = [
    { ...step("y"), write: { ...step("y").write, risk: "", changes: [image, image] } },
  ];
  const steps = [...(first === undefined ? [] : [first]), ...safe, long, ...images];
  expect(renderPlan(plan(steps), 0)).toEqual([
    "1. Widen RBAC (rbac-expand)",
    "  apply Role/shop/edb-role: its rules differ",
    "      risk: the operator may do more",
    "  apply Role/till/edb-role: its rules differ",
    "  apply Role/web/edb-role: its rules differ",
    "  apply ValidatingWebhookConfiguration/engine-enterprise-admission",
    "      risk: the operator may do more",
    "  apply Role/y/edb-role: image engine/operator:7 -> engine/operator:8",
    "2. Upgrade the operator (operator): unchanged",
    "3. Reapply the webhook (webhook): skipped, not \\x1b[1min use",
  ]);
});

test("a part that could not be planned is not called up to date", () => {
  const { parts, ...rest } = plan([]);
  const stopped = parts.map((part) =>
    part.id === "operator" ? { ...part, unplanned: "Helm \u001b[1mowns it" } : part,
  );
  expect(renderPlan({ ...rest, parts: stopped }, 1)).toEqual([
    "1. Widen RBAC (rbac-expand, S34): unchanged",
    "2. Upgrade the operator (operator, S15-S23): could not be planned: Helm \\x1b[1mowns it",
    "3. Reapply the webhook (webhook, S24): skipped, not \\x1b[1min use",
  ]);
});

test("what a part asks and waits for is shown under it", () => {
  const { parts, ...rest } = plan([step("shop")]);
  const asking = parts.map((part) => ({
    ...part,
    ...(part.id === "rbac-expand" && { questions: ["On s: remove \u001b[1mpermissions?"] }),
    ...(part.id === "operator" && { waitsFor: "the \u001b[1mlicense" }),
  }));
  expect(renderPlan({ ...rest, parts: asking }, 1)).toEqual([
    "1. Widen RBAC (rbac-expand, S34)",
    ...renderPlan(plan([step("shop")]), 1).slice(1, 6),
    "  asks: On s: remove \\x1b[1mpermissions?",
    "2. Upgrade the operator (operator, S15-S23)",
    "  waits for the \\x1b[1mlicense",
    "3. Reapply the webhook (webhook, S24): skipped, not \\x1b[1min use",
  ]);
});

test("every write of a plan is shown, however many there are", () => {
  const many = Array.from({ length: 500 }, (_, index) => step(`shop-${index}`));
  const shown = renderPlan(plan(many), 0).filter((line) => line.startsWith("  apply Role/shop-"));
  expect(shown).toHaveLength(500);
});

test("flags are said again in words, without the secrets of an address", () => {
  const flags = {
    ...readDefaults(upgradeSpec),
    ...{ release: "https://user:s3cr3t@host/{tag}.tar.gz?sig=s3cr3t", target: "8.0.2-2" },
    chart: {
      chart: "./chart",
      releaseName: "operator",
      version: "8.0.2-2",
      values: ["a.yaml", "b"],
      given: [],
      applyCrds: false,
    },
    ...{ registry: "mirror/x", pullSecret: "pull", participants: ["west", "east/engine"] },
    ...{ takeFields: ["a", "b"], skip: [{ code: "A", object: "b" }, { code: "C" }] },
    ...{ auto: true, probe: false },
  };
  expect(listWords(flags)).toEqual([
    ...["--release", "https://host/{tag}.tar.gz?…", "--target", "8.0.2-2", "--chart", "./chart"],
    ...[
      "--release-name",
      "operator",
      "--version",
      "8.0.2-2",
      "--values",
      "a.yaml",
      "--values",
      "b",
    ],
    ...["--image-registry", "mirror/x"],
    ...["--pull-secret", "pull", "--participant", "west", "--participant", "east/engine"],
    ...["--take-fields", "a", "--take-fields", "b", "--skip", "A=b", "--skip", "C"],
    ...["--auto", "--no-probe"],
  ]);
  const { chart } = flags;
  expect(listWords({ ...flags, chart: { ...chart, applyCrds: true } })).toContain("--apply-crds");
});
