/**
 * A cluster as far as the own certificate goes: a Secret, a lease, a registration, replicas and a
 * clock. After every write it holds the cluster to the one law: callers trust whatever is served.
 */
import { X509Certificate } from "node:crypto";
import { generatePair } from "../../plugin/adapters/certificate-pair";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { ServedKeyPair } from "../../webhook/certificate/served";
import type { ApiAnswer, ApiRequest, ApiSender } from "../../webhook/clusters/clusters";
import { CertificateKeeper } from "../../webhook/own-certificate/keeper";
import { usualTimes } from "../../webhook/own-certificate/step";
import { FakeLog } from "./fake-log";

export const day = 24 * 60 * 60_000;
export const namespace = "engine-admission";
export const self = { names, namespace };
export const ours = names.webhookFieldManager;

/** Where the objects are, as a path of the API. */
export const paths = {
  secret: `/api/v1/namespaces/${namespace}/secrets/admission-tls`,
  lease: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/engine-webhook-certificate`,
  registration:
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/engine-enterprise-admission",
};

interface Stored {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: readonly object[];
    readonly deletionTimestamp?: string;
  };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly webhooks?: readonly Entry[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly name: string;
  readonly clientConfig: { readonly service: object; readonly caBundle: string };
}

/** What happens to a request instead; undefined: what is usual. */
export type Fault = (request: ApiRequest) => "lost" | "answer lost" | number | undefined;

export class World implements ApiSender {
  time = Date.parse("2026-01-01T00:00:00Z");
  fault: Fault = () => undefined;
  /** Called before a write reaches the server. */
  meanwhile: (request: ApiRequest) => void = () => undefined;
  readonly log = new FakeLog();
  readonly requests: string[] = [];
  /** Writes in their order: the object and what it then trusts or holds. */
  readonly writes: string[] = [];
  readonly replicas: Replica[] = [];
  private readonly objects = new Map<string, Stored>();
  private revision = 1;

  replica(own = true): Replica {
    const replica = new Replica(this, own);
    this.replicas.push(replica);
    return replica;
  }

  /** A pair as the webhook itself makes it, made at this moment. */
  async aPair(): Promise<{ readonly cert: string; readonly key: string }> {
    const { lifeMs } = usualTimes;
    const { certPem: cert, keyPem: key } = await generatePair({ ...self, now: this.time, lifeMs });
    return { cert, key };
  }

  putSecret({ cert, key }: { cert: string; key: string }, manager = ours): void {
    const data = { cert: base64(cert), privateKey: base64(key) };
    this.put(paths.secret, { type: "Opaque", data }, manager);
  }

  putRegistration(cert: string, service: object = { name: "admission", namespace }): void {
    const elsewhere = { name: "elsewhere", namespace };
    const other = { name: "a.b.c", clientConfig: { service: elsewhere, caBundle: "" } };
    const entry = { name: names.webhook.entry, clientConfig: { service, caBundle: base64(cert) } };
    this.put(paths.registration, { webhooks: [other, entry] }, "kubectl-engine");
  }

  /** An entry that a person added to the registration, for the same Service. */
  addEntry(name: string, caBundle = ""): void {
    const { webhooks = [] } = this.get(paths.registration) ?? {};
    const service = { name: "admission", namespace };
    const added = { name, clientConfig: { service, caBundle } };
    this.put(paths.registration, { webhooks: [...webhooks, added] }, "kubectl-edit");
  }

  /** Fingerprints that an entry of the registration trusts. */
  trustedBy(name: string): readonly string[] {
    const { webhooks = [] } = this.get(paths.registration) ?? {};
    return fingerprints(webhooks.find((entry) => entry.name === name)?.clientConfig.caBundle);
  }

  /** A finalizer holds it. */
  beginDeletion(path: string): void {
    const found = this.get(path);
    if (found === undefined) throw new Error(`there is no ${path}`);
    const deletionTimestamp = new Date(this.time).toISOString();
    this.objects.set(path, { ...found, metadata: { ...found.metadata, deletionTimestamp } });
  }

  remove(path: string): void {
    this.objects.delete(path);
  }

  get(path: string): Stored | undefined {
    return this.objects.get(path);
  }

  /** Fingerprints in the Secret's certificate item. */
  stored(): readonly string[] {
    return fingerprints(this.get(paths.secret)?.data?.["cert"]);
  }

  /** Fingerprints that callers trust; undefined without a registration. */
  trusted(): readonly string[] | undefined {
    const entry = this.get(paths.registration)?.webhooks?.[1];
    return entry && fingerprints(entry.clientConfig.caBundle);
  }

  send(request: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(`${request.method} ${request.path.split("?")[0] ?? ""}`);
    const fault = this.fault(request);
    if (fault === "lost") return Promise.reject(new Error("the connection was cut"));
    if (typeof fault === "number") return Promise.resolve({ status: fault, body: {} });
    const answer = request.method === "GET" ? this.read(request) : this.write(request);
    if (fault === "answer lost") return Promise.reject(new Error("the connection was cut"));
    return Promise.resolve(answer);
  }

  /** What a replica serves, and what a new pod would mount, is trusted. */
  expectTrusted(): void {
    const trusted = this.trusted();
    if (trusted === undefined) return;
    const served = this.replicas.flatMap(({ serves }) => serves ?? []);
    const wrong = [...served, ...this.stored().slice(0, 1)].filter((one) => !trusted.includes(one));
    if (wrong.length > 0) throw new Error("a certificate is served that callers do not trust");
  }

  private read({ path }: ApiRequest): ApiAnswer {
    const found = this.objects.get(path);
    return found === undefined ? { status: 404, body: {} } : { status: 200, body: found };
  }

  private write(request: ApiRequest): ApiAnswer {
    this.meanwhile(request);
    const url = new URL(request.path, "https://fake");
    const manager = url.searchParams.get("fieldManager") ?? "";
    const body = request.body as Stored & { metadata: { name?: string } };
    const creates = request.method === "POST";
    const path = creates ? `${url.pathname}/${body.metadata.name ?? ""}` : url.pathname;
    const found = this.objects.get(path);
    if (creates ? found !== undefined : found === undefined)
      return { status: creates ? 409 : 404, body: {} };
    if (found !== undefined && found.metadata.resourceVersion !== body.metadata.resourceVersion) {
      return { status: 409, body: {} };
    }
    const stored = this.put(path, merged(found, body), manager);
    this.note(path);
    this.expectTrusted();
    return { status: creates ? 201 : 200, body: stored };
  }

  private note(path: string): void {
    if (path === paths.secret) this.writes.push(`secret ${this.stored().length}`);
    if (path === paths.registration) this.writes.push(`trust ${this.trusted()?.length ?? 0}`);
  }

  private put(path: string, object: Omit<Stored, "metadata">, manager: string): Stored {
    const items = Object.keys(object.data ?? {}).map((item) => [`f:${item}`, {}]);
    const time = new Date(this.time).toISOString();
    const fieldsV1 = { "f:data": Object.fromEntries(items) as object };
    const managedFields = [{ manager, time, fieldsV1 }];
    const metadata = { resourceVersion: String(this.revision++), managedFields };
    const stored = { ...object, metadata };
    this.objects.set(path, stored);
    return stored;
  }
}

/** One replica: what it serves outlives its keeper, as a process outlives a failed look. */
export class Replica {
  serves: string | undefined;
  keeper: CertificateKeeper;

  constructor(
    private readonly world: World,
    private readonly own: boolean,
  ) {
    this.keeper = this.again();
  }

  look(): ReturnType<CertificateKeeper["look"]> {
    return this.keeper.look();
  }

  trusted(): ReadonlySet<string> | undefined {
    return this.keeper.trusted();
  }

  /** Loses all that is in memory; the pod that follows mounts what is stored. */
  crash(): void {
    this.keeper = this.again();
    this.serves = this.world.stored()[0];
  }

  /** Looks as often as it wants to, the clock in progress. */
  async untilQuiet(): Promise<void> {
    for (let looks = 0; (await this.look()) !== "quiet"; looks++) {
      if (looks > 20) throw new Error("never quiet");
      this.world.time += 5_000;
    }
  }

  private again(): CertificateKeeper {
    const offer = ({ leaf }: ServedKeyPair): Promise<void> => {
      this.serves = sha256(leaf);
      this.world.expectTrusted();
      return Promise.resolve();
    };
    const certificate = { isLoaded: () => this.serves !== undefined, offer };
    const { log } = this.world;
    const now = (): number => this.world.time;
    const { own } = this;
    return new CertificateKeeper({ self, sender: this.world, certificate, log, own, now });
  }
}

function merged(found: Stored | undefined, patch: Stored): Omit<Stored, "metadata"> {
  const changed = new Map(patch.webhooks?.map((entry) => [entry.name, entry]));
  return {
    ...found,
    ...patch,
    ...(found?.spec && { spec: { ...found.spec, ...patch.spec } }),
    ...(found?.webhooks && {
      webhooks: found.webhooks.map((entry) => ({
        ...entry,
        clientConfig: { ...entry.clientConfig, ...changed.get(entry.name)?.clientConfig },
      })),
    }),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function sha256({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(":", "").toLowerCase();
}

export function fingerprints(item = ""): readonly string[] {
  const pem = Buffer.from(item, "base64").toString();
  const blocks = pem.split(/(?=-----BEGIN)/).filter((block) => block.includes("BEGIN"));
  return blocks.map((block) => sha256(new X509Certificate(block)));
}
