/** Admission webhooks whose servers are functions: what the cluster in memory asks before a write. */
import { ApiError } from "../../plugin/domain/base/errors";
import { asArray, getOwn, getPath } from "../../plugin/domain/base/values";
import { kinds } from "../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import {
  type WebhookEntry,
  listEntries,
  findInvocation,
  isExempt,
} from "../../plugin/simulator/admission/entries";
import { dryRunUnsupported } from "../../plugin/simulator/admission/response";
import { CallFailure, refuseFailedCall } from "../../plugin/simulator/admission/trust";
import type { Admission, Attempt, StateView } from "../../plugin/simulator/model";

/** The server behind an admission Service. */
export interface WebhookServer {
  /** The caBundles that trust it. */
  readonly ca: string | readonly string[];
  /** The reason for a refusal, undefined to allow. */
  readonly judge: (object: KubeObject) => string | undefined;
  /** Why it cannot be called, undefined when it can. */
  readonly down?: string;
}

/** As the configurations of the cluster say; `servers` are by `namespace/name`. */
export class ServedWebhooks implements Admission {
  readonly #winners = new Map<string, number>();

  constructor(private readonly servers: ReadonlyMap<string, WebhookServer>) {}

  async admit(attempt: Attempt, state: StateView): Promise<readonly string[]> {
    return await Promise.resolve(this.#admit(attempt, state));
  }

  /** Of several refusals any may come first. */
  #admit(attempt: Attempt, state: StateView): readonly string[] {
    if (isExempt(attempt.definition)) return [];
    const refusals = listEntries(kinds.webhookConfiguration, state)
      .filter((entry) => findInvocation(entry, attempt, state) !== undefined)
      .flatMap((entry) => this.#refusal(entry, attempt) ?? []);
    // in turn for each kind and namespace: edits that alternate would always meet the same one
    const edits = `${attempt.definition.resource.plural} ${attempt.namespace ?? ""}`;
    const turn = (this.#winners.get(edits) ?? 0) + (refusals.length > 1 ? 1 : 0);
    this.#winners.set(edits, turn);
    const refusal = refusals[turn % Math.max(refusals.length, 1)];
    if (refusal !== undefined) throw refusal;
    return [];
  }

  #refusal(entry: WebhookEntry, { object, dryRun }: Attempt): ApiError | undefined {
    const { name, callee, failOpen, dryRunSafe } = entry;
    if (dryRun && !dryRunSafe) return dryRunUnsupported(name);
    const at = callee.kind === "url" ? callee.url : `${callee.namespace}/${callee.name}`;
    const server = this.servers.get(at);
    const why = brokenOf(server, entry);
    if (why !== undefined)
      return failOpen ? undefined : refuseFailedCall(name, new CallFailure(why));
    const reason = object && server?.judge(object);
    if (reason === undefined) return undefined;
    const message = `admission webhook "${name}" denied the request: ${reason}`;
    return new ApiError(message, { status: 422, reason: "Invalid" });
  }
}

/** Why the server cannot be called; undefined where it can. */
function brokenOf(
  server: WebhookServer | undefined,
  { caBundle }: WebhookEntry,
): string | undefined {
  if (server === undefined) return "service not found";
  const unknown =
    "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  return [server.ca].flat().includes(caBundle) ? server.down : unknown;
}

/** Refuses what any server of the product would refuse. */
export function judgesAll(object: KubeObject): string | undefined {
  const spec = getPath(object, ["spec"]);
  const parts = [spec, getOwn(spec, "globalConfigurations")];
  const version = parts
    .map((part) => getOwn(part, "engineVersion"))
    .find((one) => one !== undefined);
  if (version === "0.0") return `Unsupported value: "0.0"`;
  if (parts.some((part) => getOwn(part, "evictionPolicy") === "no-such-policy"))
    return "evictionPolicy";
  const modules = parts.flatMap((part) => asArray(getOwn(part, "modulesList")));
  return modules.some((one) => getOwn(one, "name") === "no-such-module") ? "module" : undefined;
}
