/** The REST API of a cluster whose upgrade is held, as a server on loopback: what commands say of what it answers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { Report } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import { type HostileApi, type HostileSeen, startHostileApi } from "../../../support/hostile-api";
import { typed } from "../../../support/program-world";
import { aPair, type PemPair } from "../../../support/tls";
import { exampleOnce, makeWorld } from "../../../support/world";
import { Dump, name, ns } from "./held-clusters";

let folder = "";
let pair: PemPair;
beforeAll(() => {
  pair = aPair({ names: [`${name}.${ns}.svc.cluster.local`] });
});
beforeEach(() => {
  folder = aFolder("held-rest");
});

/** Status and body of an answer. */
type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];
type Answers = (seen: HostileSeen) => Answer;

const bdb = (uid: number, called: string, more: object = {}) => ({
  ...{ uid, name: called, status: "active", version: "7.4.0", engine_version: "7.4" },
  ...{ replication: true, data_persistence: "aof", shards_count: 1, module_list: [], ...more },
});

/** A cluster that answers everything, unless told otherwise. */
const usual =
  (bdbs: readonly object[], other: Partial<Record<string, Answer>> = {}): Answers =>
  ({ method, path }) => {
    const [plain = ""] = path.split("?");
    const told = other[`${method} ${plain}`];
    if (told !== undefined) return told;
    const lists: Record<string, unknown> = {
      "/v1/bdbs": bdbs,
      "/v1/modules": [],
      "/v1/license": { expired: false },
      "/v1/cluster": { name: "c" },
      "/v1/cluster/policy": {},
      "/v1/actions": { actions: [] },
      "/v1/nodes": [
        {
          uid: 1,
          supported_database_versions: ["7.2", "7.4", "8.0"].map((version) => ({
            ...{ db_type: "engine", version },
          })),
        },
      ],
    };
    const one = bdbs.find((each) => plain === `/v1/bdbs/${String((each as { uid: number }).uid)}`);
    const found = lists[plain] ?? one ?? (plain.startsWith("/v1/actions/bdb") ? [] : undefined);
    return found === undefined ? [404, { error_code: "not_found" }] : [200, found];
  };

interface Ran {
  readonly code: number;
  readonly text: string;
  readonly codes: readonly string[];
  readonly api: HostileApi;
}

async function run(line: string, answers: Answers): Promise<Ran> {
  const dump = new Dump();
  dump.renewed();
  dump.ec.status["state"] = "Running";
  const text = (value: string) => Buffer.from(value).toString("base64");
  dump.add({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: ns },
    data: { username: text("admin@example.net"), password: text("secret") },
  });
  const { objects: example } = await exampleOnce();
  const definitions = example.filter(({ kind }) => kind === "CustomResourceDefinition");
  const objects = [...definitions, ...(dump.items as unknown as readonly KubeObject[])];
  const { cluster } = makeWorld({ objects });
  Object.defineProperty(cluster, "namespace", { value: ns });
  const api = await startHostileApi(pair, (seen, response) => {
    const [status, body, headers] = answers(seen);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  });
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, pair.certPem);
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const words = [
    ...line.split(" "),
    "-n",
    ns,
    `--api-url=${api.url}`,
    `--api-ca=${ca}`,
    "-o",
    "json",
  ];
  const { code, out, err } = await typed(words, { env, connect: () => Promise.resolve(cluster) });
  await api.close();
  const { findings = [] } = (out === "" ? {} : JSON.parse(out)) as Partial<Report>;
  return { code, text: out + err, codes: findings.map((one) => one.code), api };
}

const call = "upgrade-database invoices --engine-version 8.0 --via api --yes";
const upgradeOf3 = "POST /v1/bdbs/3/upgrade";

/** What is answered to the line, and what the line then says. */
interface Row {
  readonly title: string;
  readonly line: string;
  readonly answers: Answers;
  readonly code: number;
  /** Its first finding. */
  readonly told?: string;
  readonly says?: RegExp;
  /** Calls that were made, though nothing came of them. */
  readonly posts?: number;
}

const refusedBy = (answer: Answer): Answers =>
  usual([bdb(3, "invoices")], { [upgradeOf3]: answer });
const leading = `https://${name}-1.${name}.${ns}.svc.cluster.local:9443/v1/bdbs`;

const rows: readonly Row[] = [
  {
    title: "the number is that of another database",
    line: call,
    answers: usual([bdb(3, "ledger"), bdb(9, "invoices")]),
    code: 3,
    told: "DATABASE-UID-MISMATCH",
    says: /3 is ledger, invoices is 9/,
  },
  {
    title: "a database that is imported into",
    line: call,
    answers: usual([bdb(3, "invoices", { status: "import-pending" })]),
    code: 3,
    told: "DATABASE-BUSY",
  },
  {
    title: "a database that was never created",
    line: call,
    answers: usual([bdb(3, "invoices", { status: "creation-failed" })]),
    code: 3,
    told: "DATABASE-FAILED",
  },
  {
    title: "a module of which only the uid is told",
    line: `modules list --ec ${name}`,
    answers: usual([], {
      "GET /v1/modules": [
        200,
        [{ uid: "m1", module_name: "search", semantic_version: "2.10.8" }, { uid: "m2" }],
      ],
    }),
    code: 0,
    says: /1 record lacks its name/,
  },
  {
    title: "a password that is not in force",
    line: "recover",
    answers: () => [401, { error_code: "invalid_credentials" }],
    code: 4,
    told: "REST-CREDENTIALS-REFUSED",
  },
  ...([406, 409] as const).map((status) => ({
    title: `too little memory, told with ${status}`,
    line: call,
    answers: refusedBy([status, { error_code: "insufficient_resources" }]),
    code: 3,
    told: "REST-RESOURCES",
    posts: 1,
  })),
  {
    title: "an expired license, before the call",
    line: call,
    answers: usual([bdb(3, "invoices")], { "GET /v1/license": [200, { expired: true }] }),
    code: 3,
    told: "REST-LICENSE",
  },
  {
    title: "an expired license, told by the call",
    line: call,
    answers: refusedBy([403, { error_code: "license_expired" }]),
    code: 3,
    told: "REST-LICENSE",
    posts: 1,
  },
  {
    title: "a quorum that is lost although the pods are ready",
    line: "recover",
    answers: () => [503, { error_code: "no_quorum" }],
    code: 3,
    told: "CLUSTER-QUORUM-LOST",
    says: /no_quorum[^]*clusterRecovery/,
  },
  {
    title: "a redirect to the leading node",
    line: "recover",
    answers: () => [307, {}, { location: leading }],
    code: 0,
    told: "FREEZE-API-UNREAD",
    says: /could not be read, and what runs is known only from the resources/,
  },
];

test.each(rows)("$title", async ({ line, answers, code, told, says = /./, posts = 0 }) => {
  const ran = await run(line, answers);
  expect(ran.code).toBe(code);
  if (told !== undefined) expect(ran.codes).toContain(told);
  expect(ran.text).toMatch(says);
  expect(ran.text).not.toContain("was not asked");
  expect(ran.api.seen.filter(({ method }) => method === "POST")).toHaveLength(posts);
});
