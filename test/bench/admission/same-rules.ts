/** The rules and nothing else, for servers that are compared with the webhook: no log, metrics, limits or live reads. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  clusterKey,
  lookUpCluster,
  projectCluster,
  readReference,
} from "../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { isExempt, judgeEdit, needsCluster } from "../../../plugin/domain/rules/order";
import type { ClusterFacts, Edit, Verdict } from "../../../plugin/domain/rules/types";
import { denialStatus } from "../../../plugin/domain/rules/wording";
import type { Json } from "../../../plugin/domain/base/values";
import { options } from "../../webhook/reviews";

/** What is read of a review. */
export interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
    readonly kind: { readonly group: string; readonly kind: string };
    readonly object: Json;
    readonly oldObject: Json | null;
  };
}

const [port = "", dir = "", clustersFile = "", operatorNamespace = ""] = process.argv.slice(2);
const { items } = JSON.parse(readFileSync(clustersFile, "utf8")) as { items: unknown[] };
const known = new Map<string, ClusterFacts>();
for (const item of items) {
  const cluster = projectCluster(item, names);
  if (cluster !== undefined) known.set(clusterKey(cluster), cluster);
}

function judge({ request }: Review): Verdict | undefined {
  const { kind, namespace, object, oldObject } = request;
  const edit: Edit = {
    kind: kind.kind === names.eaadb.kind ? "eaadb" : "edb",
    before: oldObject ?? undefined,
    after: object,
  };
  if (isExempt(edit) || !needsCluster(edit, names)) return undefined;
  const reference = readReference(object, edit.kind, names);
  const all = [namespace, operatorNamespace].flatMap(
    (place) => known.get(clusterKey({ namespace: place, name: reference ?? "" })) ?? [],
  );
  const after = lookUpCluster({ reference, namespace, operatorNamespace, all });
  return judgeEdit(edit, { after }, options);
}

/** The answer to a review, in its own version. */
export function answer(review: Review): object {
  const { uid, kind, name } = review.request;
  const verdict = judge(review);
  const allowed = verdict === undefined || verdict.causes.length === 0;
  const status = allowed
    ? undefined
    : denialStatus({ ...kind, name, verdict, webhookName: names.webhook.entry });
  const response = { uid, allowed, status, warnings: verdict?.warnings };
  return { apiVersion: review.apiVersion, kind: "AdmissionReview", response };
}

/** Where these servers listen. */
export const listenPort = Number(port);

/** Kept connections wait while the others have their turn. */
export const serverOptions = {
  keepAliveTimeout: 600_000,
  cert: readFileSync(join(dir, "cert")),
  key: readFileSync(join(dir, "privateKey")),
};
