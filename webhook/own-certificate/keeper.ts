/** Looks after the certificate from time to time, as far as the settings and the rights allow. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Secret } from "../../plugin/domain/kube/models";
import type { ServedCertificate } from "../certificate/served";
import type { ApiSender } from "../clusters/clusters";
import { errorText, type Log } from "../log";
import {
  type PendingPair,
  parseCertificates,
  type RotationState,
  needsPair,
  nextStep,
  type SecretFacts,
  secretFacts,
  type Self,
  type Step,
  type Times,
  usualTimes,
} from "./step";
import {
  Overtaken,
  OwnCertRequests,
  listPlaces,
  Registration,
  RenewalLease,
  RequestRefused,
} from "./requests";

/** Between two looks; the shorter one while a change is under way, or nothing can be served. */
const pauseMs: Readonly<Record<Outlook, number>> = { quiet: 30_000, soon: 5_000 };
/** A look ends well within the lease under which it writes. */
const lookMs = 20_000;
const leaseMs = 90_000;

export interface KeeperParts {
  readonly self: Self;
  readonly sender: ApiSender;
  readonly certificate: Pick<ServedCertificate, "isLoaded" | "offer">;
  readonly log: Log;
  /** False: the registration is only compared with what is served. */
  readonly own: boolean;
  readonly times?: Times;
  readonly now?: () => number;
}

/** What a look leaves to be done: nothing for now, or something soon. */
type Outlook = "quiet" | "soon";
type Stored = Pick<RotationState, "secret" | "registration">;
type CertificateStep = Exclude<Step, { readonly do: "rest" | "wait" }>;

/** More steps than any way from one state to the next has. */
const mostSteps = 8;

export class CertificateKeeper {
  private readonly requests: OwnCertRequests;
  private readonly registration: Registration;
  private readonly lease: RenewalLease;
  private readonly place;
  private readonly times: Times;
  private readonly now: () => number;
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private complaint = "";
  private candidate: PendingPair | undefined;
  private told = "";
  private offered = "";

  constructor(private readonly parts: KeeperParts) {
    const { self, sender, times = usualTimes, now = Date.now } = parts;
    this.times = times;
    this.now = now;
    this.requests = new OwnCertRequests(sender, self.names.webhookFieldManager);
    this.registration = new Registration(this.requests, self);
    const { lease: place, secret } = listPlaces(self.names, self.namespace);
    this.place = secret;
    const holder = `${hostname()}_${randomUUID()}`;
    const { requests } = this;
    this.lease = new RenewalLease({ requests, place, holder, lastsMs: leaseMs, now });
  }

  /** SHA-256 of what callers trust; undefined where that is not known. */
  trusted(): ReadonlySet<string> | undefined {
    return this.registration.trusted();
  }

  start(): void {
    void this.look().then((next) => {
      if (next === "never" || this.ending.signal.aborted) return;
      this.timer = setTimeout(() => {
        this.start();
      }, pauseMs[next]);
    });
  }

  stop(): void {
    this.ending.abort();
    clearTimeout(this.timer);
  }

  /** One look; whatever fails is named once, and what is served stays served. */
  async look(): Promise<Outlook | "never"> {
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(lookMs)]);
    try {
      if (!this.parts.own) await this.registration.read(signal);
      const outlook = this.parts.own ? await this.lookAfter(signal) : "quiet";
      this.complaint = "";
      return outlook;
    } catch (error) {
      return this.handleFailure(error);
    }
  }

  private handleFailure(error: unknown): Outlook | "never" {
    if (this.ending.signal.aborted) return "never";
    if (error instanceof Overtaken) return "soon";
    const rule = error instanceof RequestRefused ? error.findMissingRule() : undefined;
    if (!this.parts.own) return rule === undefined ? "quiet" : "never";
    this.complain(error, rule);
    return "quiet";
  }

  private complain(error: unknown, rule: object | undefined): void {
    const because = errorText(error);
    if (because === this.complaint) return;
    this.complaint = because;
    const { log } = this.parts;
    if (rule === undefined) log.error({ because }, "the own certificate cannot be looked after");
    else log.error({ because, rule }, "the own certificate lacks an RBAC rule");
  }

  /** Secret and registration; a failure is left to the next look. */
  private async lookAfter(signal: AbortSignal): Promise<Outlook> {
    const [registered, secret] = await Promise.allSettled([
      this.registration.read(signal),
      this.readSecret(signal),
    ]);
    if (secret.status === "rejected") throw secret.reason;
    await this.serve(secret.value);
    if (registered.status === "rejected") throw registered.reason;
    const stored = { secret: secret.value, registration: registered.value };
    if (secret.value?.ours !== false) this.requireStanding(stored);
    if (secret.value?.ours === false || !(await this.lease.hold(signal))) {
      this.candidate = undefined;
      return this.parts.certificate.isLoaded() ? "quiet" : "soon";
    }
    return this.advance(stored, signal);
  }

  /** Nothing is written into what is being deleted, or made for it; what is served stays served. */
  private requireStanding({ secret, registration }: Stored): void {
    const going = [
      { object: `Secret ${this.place.name}`, deletedAt: secret?.deletedAt },
      { object: "the webhook configuration", deletedAt: registration?.deletedAt },
    ];
    const found = going.find(({ deletedAt }) => deletedAt !== undefined);
    if (found === undefined) return;
    const { object, deletedAt = "" } = found;
    throw new Error(`${object} is being deleted since ${deletedAt}: nothing is written`);
  }

  private async advance(stored: Stored, signal: AbortSignal): Promise<Outlook> {
    const { times } = this;
    let found = stored;
    for (let taken = 0; taken < mostSteps; taken++) {
      this.judgeCandidate(found);
      const step = nextStep({ ...found, now: this.now(), candidate: this.candidate }, times);
      if (step.do === "rest") return "quiet";
      if (step.do === "wait") break;
      found = { ...found, ...(await this.take(step, found, signal)) };
    }
    return "soon";
  }

  /** Forgets a candidate that nobody needs any more; notes since when it has been trusted. */
  private judgeCandidate({ secret, registration }: Stored): void {
    const now = this.now();
    if (this.candidate === undefined) return;
    const { pair, certificate, trustedAt = now } = this.candidate;
    const trusted = registration?.certificates.some(({ sha256 }) => sha256 === certificate.sha256);
    const judged = { pair, certificate, ...(trusted === true && { trustedAt }) };
    this.candidate = needsPair(secret, now) ? judged : undefined;
  }

  /** Takes a step; what it has changed of what is stored. */
  private async take(
    step: CertificateStep,
    found: Stored,
    signal: AbortSignal,
  ): Promise<Partial<Stored>> {
    if (step.do === "store") return { secret: await this.store(step.pair, found.secret, signal) };
    if (step.do === "make") await this.make();
    if (step.do === "make" || found.registration === undefined) return {};
    const { certificates } = step;
    const registration = await this.registration.trust(certificates, found.registration, signal);
    const trusted = certificates.map(({ sha256 }) => sha256);
    this.parts.log.info({ certificates: trusted }, "the registration trusts");
    return { registration };
  }

  private async make(): Promise<void> {
    const { times } = this;
    // needed every few weeks: no start has to load what makes it
    const { generatePair } = await import("../../plugin/adapters/certificate-pair.ts");
    const request = { ...this.parts.self, now: this.now(), lifeMs: times.lifeMs };
    const { certPem: cert, keyPem: key } = await generatePair(request);
    const [certificate] = parseCertificates(cert);
    if (certificate === undefined) throw new Error("the certificate that was made is unreadable");
    this.candidate = { pair: { cert, key }, certificate };
  }

  /** Creates the Secret or writes its items; what is stored is served at once. */
  private async store(
    { cert, key }: PendingPair["pair"],
    secret: SecretFacts | undefined,
    signal: AbortSignal,
  ): Promise<SecretFacts> {
    const { requests, place } = this;
    const { self, log } = this.parts;
    const { secretCert, secretKey } = self.names.webhook;
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const data = { [secretCert]: base64(cert), [secretKey]: base64(key) };
    const metadata = { name: place.name, namespace: self.namespace };
    const created: Secret = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
    const stored =
      secret === undefined
        ? await requests.create(place, created, signal)
        : await requests.patch(
            place,
            { metadata: { resourceVersion: secret.version }, data },
            signal,
          );
    const facts = secretFacts(stored, self, this.now());
    const certificates = facts.certificates.map(({ sha256 }) => sha256);
    const notAfter = facts.pair?.leaf.validTo;
    log.info({ secret: place.name, certificates, notAfter }, "own certificate stored");
    await this.serve(facts);
    return facts;
  }

  private async readSecret(signal: AbortSignal): Promise<SecretFacts | undefined> {
    const secret = await this.requests.read(this.place, signal);
    return secret && secretFacts(secret, this.parts.self, this.now());
  }

  /** What is ours is served before the folder has it; what is not, only where there is nothing else. */
  private async serve(secret: SecretFacts | undefined): Promise<void> {
    if (secret === undefined) return;
    const { certificate } = this.parts;
    if (!secret.ours) this.tellWhose(secret);
    const wanted = secret.ours ? this.offered !== secret.version : !certificate.isLoaded();
    if (secret.pair === undefined || secret.unfit !== undefined || !wanted) return;
    this.offered = secret.version;
    await certificate.offer(secret.pair);
  }

  /** Once for each state: this certificate is left to those who made it. */
  private tellWhose({ version, managers, unfit }: SecretFacts): void {
    if (this.told === version) return;
    this.told = version;
    const { log } = this.parts;
    const fields = { secret: this.place.name, managers, ...(unfit !== undefined && { unfit }) };
    log[unfit === undefined ? "info" : "error"](
      fields,
      "the certificate is not our own: never renewed here",
    );
  }
}
