/** The namespace that this process runs in: its Service, and so its certificate's name, is there. */
import { readFileSync } from "node:fs";

const mounted = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** The pod's own namespace; outside a pod the operator's, whose Service the webhook then stands behind. */
export function ownNamespace(operatorNamespace: string, file = mounted): string {
  try {
    return readFileSync(file, "utf8").trim() || operatorNamespace;
  } catch {
    return operatorNamespace;
  }
}
