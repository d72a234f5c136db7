/**
 * The yardstick: node's own https server that parses the whole review and judges it by the rules, without
 * log, metrics, limits, live reads or rotation of its pair.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import {
  clusterKey,
  lookUpCluster,
  projectCluster,
  referenceOf,
} from "../../../plugin/domain/rules/clusters";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { isExempt, judgeEdit, needsCluster } from "../../../plugin/domain/rules/order";
import type { ClusterFacts, Edit, Verdict } from "../../../plugin/domain/rules/types";
import { denialStatus } from "../../../plugin/domain/rules/wording";
import type { Json } from "../../../plugin/domain/base/values";
import { options } from "../../webhook/reviews";

interface Review {
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
  const reference = referenceOf(object, edit.kind, names);
  const all = [namespace, operatorNamespace].flatMap(
    (place) => known.get(clusterKey({ namespace: place, name: reference ?? "" })) ?? [],
  );
  const after = lookUpCluster({ reference, namespace, operatorNamespace, all });
  return judgeEdit(edit, { after }, options);
}

function answer(review: Review): string {
  const { uid, kind, name } = review.request;
  const verdict = judge(review);
  const allowed = verdict === undefined || verdict.causes.length === 0;
  const status = allowed
    ? undefined
    : denialStatus({ ...kind, name, verdict, webhookName: names.webhook.entry });
  const response = { uid, allowed, status, warnings: verdict?.warnings };
  return JSON.stringify({ apiVersion: review.apiVersion, kind: "AdmissionReview", response });
}

// Kept connections wait while the others have their turn.
const server = {
  keepAliveTimeout: 600_000,
  cert: readFileSync(join(dir, "cert")),
  key: readFileSync(join(dir, "privateKey")),
};

createServer(server, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? "" : answer(JSON.parse(text) as Review);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(Number(port), "127.0.0.1");
