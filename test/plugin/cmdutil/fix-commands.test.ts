import { fixCommand } from "../../../plugin/cmdutil/fix-commands";
import { defaultNames as names } from "../../../plugin/domain/names/names";

/** The line for a finding, or none. */
function line(code: string, object?: string, fix = "f"): string | undefined {
  const found = { code, severity: "error", cause: "c", fix, source: "S1" } as const;
  const command = fixCommand({ ...found, ...(object !== undefined && { object }) }, names);
  return command && [command.of, ...command.words].join(" ");
}

const scale = "kubectl scale statefulset ec --replicas=3 --namespace=engine";

test.each([
  ["WEBHOOK-CA-STALE", undefined, "run upgrade-webhook", "tool upgrade-webhook"],
  ["WEBHOOK-OWNED", undefined, "run upgrade-webhook --ca-only", "tool upgrade-webhook --ca-only"],
  ["CERT-EXPIRED", undefined, "run cert create --replace", "tool cert create --replace"],
  ["CLUSTER-SCALED", "StatefulSet/engine/ec", scale, scale],
  [
    "CLUSTER-RESIZING",
    "EngineEnterpriseCluster/engine/ec",
    "f",
    "kubectl get persistentvolumeclaims --namespace=engine",
  ],
  [
    "POD-CRASH",
    "Pod/engine/ec-0",
    "f: kubectl logs ec-0 -c x -n engine",
    "kubectl logs ec-0 -c x -n engine",
  ],
  [
    "CLUSTER-AUTO-USER-MODULES",
    "EngineEnterpriseCluster/engine/ec",
    "switch it off: kubectl patch ecs ec -n engine -p '{\"a\":false}'",
    'kubectl patch ecs ec -n engine -p {"a":false}',
  ],
  ["POD-IMAGE", "Pod/engine/ec-0", "f", "kubectl describe pod ec-0 --namespace=engine"],
  [
    "CLUSTER-NOT-TAKEN-UP",
    "EngineEnterpriseCluster/engine/ec",
    "see what it says: kubectl logs deployment/o -c o -n engine; then kubectl delete lease l -n engine",
    "kubectl logs deployment/o -c o -n engine",
  ],
  [
    "CLUSTER-NOT-TAKEN-UP",
    "EngineEnterpriseCluster/engine/ec",
    "find the operator with kubectl get deployments -A, or install it in namespace engine",
    "kubectl get deployments -A",
  ],
  [
    "CLUSTER-STATE",
    "EngineEnterpriseCluster/engine/ec",
    "read its log with kubectl logs --previous, and fix what it names",
    "kubectl describe deployment engine-enterprise-operator --namespace=engine",
  ],
])("%s of %s", (code, object, ...[fix, expected]) => {
  expect(line(code, object, fix)).toBe(expected);
});

// a line with a gap in it would not run
test.each([
  [
    "a Secret that a controller keeps",
    "CERT-EXPIRED",
    "Secret/engine/admission-tls",
    "change the ExternalSecret",
  ],
  [
    "a configuration that somebody else owns",
    "WEBHOOK-PLACEHOLDER",
    "ValidatingWebhookConfiguration/x",
    "change it in the repository",
  ],
  [
    "an automatic upgrade that is only asked for",
    "CLUSTER-AUTO-USER-MODULES",
    "EngineEnterpriseCluster/engine/ec",
    "run again without --auto",
  ],
  ["a set without a namespace", "CLUSTER-SCALED", "StatefulSet/ec", scale],
  ["claims of no namespace", "CLUSTER-RESIZING", "ec", "f"],
  ["a number of nodes that is not known", "CLUSTER-SCALED", "StatefulSet/engine/ec", "f"],
  ["logs of a pod without a name", "POD-CRASH", "Pod/engine", "f"],
  ["a code without a command", "CLUSTER-MODULE-UNDEFINED", "EC/engine/ec", "f"],
])("none for %s", (_, code, ...[object, fix]) => {
  expect(line(code, object, fix)).toBeUndefined();
});
