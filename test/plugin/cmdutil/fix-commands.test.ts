import { fixCommand } from "../../../plugin/cmdutil/fix-commands";
import { defaultNames as names } from "../../../plugin/domain/names/names";

/** The line for a finding, or none. */
function line(code: string, object?: string, fix = "f"): string | undefined {
  const found = { code, severity: "error", cause: "c", fix, source: "S1" } as const;
  const command = fixCommand({ ...found, ...(object !== undefined && { object }) }, names);
  return command && [command.of, ...command.words].join(" ");
}

test.each([
  ["WEBHOOK-OWNED", undefined, "run upgrade-webhook --ca-only", "tool upgrade-webhook --ca-only"],
  [
    "POD-CRASH",
    "Pod/engine/ec-0",
    "f: kubectl logs ec-0 -c x -n engine",
    "kubectl logs ec-0 -c x -n engine",
  ],
  ["POD-IMAGE", "Pod/engine/ec-0", "f", "kubectl describe pod ec-0 --namespace=engine"],
  [
    "OPERATOR-NOT-ACTING",
    "Deployment/engine/o",
    "read its log with kubectl logs --previous, and fix what it names",
    "kubectl describe deployment engine-enterprise-operator --namespace=engine",
  ],
])("%s of %s", (code, object, ...[fix, expected]) => {
  expect(line(code, object, fix)).toBe(expected);
});

// a line with a gap in it would not run
test.each([
  [
    "a configuration that somebody else owns",
    "WEBHOOK-PLACEHOLDER",
    "ValidatingWebhookConfiguration/x",
    "change it in the repository",
  ],
  ["logs of a pod without a name", "POD-CRASH", "Pod/engine", "f"],
  ["a code without a command", "CLUSTER-MODULE-UNDEFINED", "EC/engine/ec", "f"],
])("none for %s", (_, code, ...[object, fix]) => {
  expect(line(code, object, fix)).toBeUndefined();
});
