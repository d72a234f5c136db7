/** Reviews of EDB updates of a given size, mixed as in practice, as the API server sends them. */
import { defaultNames } from "../../../plugin/domain/names";
import { aReview, anEdb, anUpdate } from "../../webhook/reviews";
import type { Exchange } from "./load";

/** What one kind of edit does to the spec, and whether it may. */
interface Edit {
  readonly before: object;
  readonly after: object;
  readonly allowed: boolean;
}

const modules = (...names: readonly string[]) => names.map((name) => ({ name, version: "2.10.5" }));

const at72 = { engineVersion: "7.2", moduleList: modules("search", "ReJSON") };
const sameVersion: Edit = {
  before: at72,
  after: { ...at72, memorySize: "2GB" },
  allowed: true,
};
const majorRaise: Edit = {
  before: at72,
  after: { ...at72, engineVersion: "8.0" },
  allowed: true,
};
const ownModule: Edit = {
  before: at72,
  after: { ...at72, moduleList: modules("search", "ReJSON", "own") },
  allowed: true,
};
const minorRaise: Edit = {
  before: at72,
  after: { ...at72, engineVersion: "7.4" },
  allowed: false,
};
const unknownModule: Edit = {
  before: at72,
  after: { ...at72, moduleList: modules("search", "ReJSON", "typo") },
  allowed: false,
};

/** Of twenty edits eleven touch nothing that is judged, seven pass the rules, two are refused. */
const mix: readonly Edit[] = [
  ...Array<Edit>(5).fill(sameVersion),
  minorRaise,
  ...Array<Edit>(3).fill(majorRaise),
  ...Array<Edit>(6).fill(sameVersion),
  unknownModule,
  ...Array<Edit>(3).fill(majorRaise),
  ownModule,
];

/** The mix in words, for the table. */
export const mixText =
  "of 20 updates 11 change nothing that is judged, 7 pass the rules, 2 are refused";

/** The EC that the databases name: it forbids minor releases and knows one module of its own. */
export const clusterParts = { policy: "major", userModules: ["own"] } as const;

/** Ten rounds of the mix, each request with a uid and a name of its own; bodies of so many bytes. */
export function reviewsOf(bytes: number): readonly Exchange[] {
  return Array.from({ length: 10 * mix.length }, (_, index) => {
    const edit = mix[index % mix.length];
    if (edit === undefined) throw new Error("the mix is empty");
    return { bytes: request(bodyOf(edit, index, bytes)), allowed: edit.allowed };
  });
}

function request(body: Buffer): Buffer {
  const head = [
    `POST ${defaultNames.webhook.path}?timeout=10s HTTP/1.1`,
    "Host: admission.engine.svc:443",
    "User-Agent: kube-apiserver-admission",
    `Content-Length: ${body.length}`,
    "Accept: application/json, */*",
    "Content-Type: application/json",
    "Accept-Encoding: gzip",
    "\r\n",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), body]);
}

/** Filled up with managed fields, as real objects are, and with one annotation to the byte. */
function bodyOf(edit: Edit, index: number, bytes: number): Buffer {
  const render = (fields: number, padding: number): string =>
    JSON.stringify(reviewOf(edit, index, { fields, padding }));
  const bare = render(0, 0).length;
  const perField = (render(10, 0).length - bare) / 10;
  let fields = Math.max(0, Math.floor((bytes - bare) / perField));
  while (fields > 0 && render(fields, 0).length > bytes) fields -= 1;
  const body = render(fields, Math.max(0, bytes - render(fields, 0).length));
  if (body.length !== bytes) throw new Error(`no review has ${bytes} bytes, but ${body.length}`);
  return Buffer.from(body);
}

interface Filling {
  readonly fields: number;
  readonly padding: number;
}

function reviewOf({ before, after }: Edit, index: number, { fields, padding }: Filling): object {
  const serial = String(index).padStart(4, "0");
  const name = `database-${serial}`;
  const metadata = (generation: number, note: string) => ({
    name,
    uid: `4f1c2a34-9d8e-4c51-8a56-00000000${serial}`,
    resourceVersion: String(880_000 + index),
    generation,
    creationTimestamp: "2026-01-14T09:30:11Z",
    annotations: { "example.com/note": note },
    managedFields: [managedFields(fields)],
  });
  const parts = anUpdate(before, after, {
    uid: `705ab4f5-6393-11e8-b7cc-00000000${serial}`,
    name,
    object: anEdb(after, metadata(4, "x".repeat(padding))),
    oldObject: anEdb(before, metadata(3, "")),
    userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" },
  });
  return aReview(parts, "v1beta1");
}

function managedFields(count: number): object {
  const fields = Array.from({ length: count }, (_, index) => [
    `f:setting${String(index).padStart(4, "0")}`,
    { ".": {}, "f:value": {} },
  ]);
  return {
    manager: "kubectl",
    operation: "Update",
    apiVersion: "app.engine.com/v1alpha1",
    time: "2026-01-14T09:30:11Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": Object.fromEntries(fields) as object },
  };
}
