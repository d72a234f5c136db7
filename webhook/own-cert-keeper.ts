/** Looks after the certificate from time to time, as far as the settings and the rights allow. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ServedCertificate } from "./certificate";
import type { ApiSender } from "./clusters-connection";
import { errorText, type Log } from "./log";
import { OwnCert, type Outlook } from "./own-cert";
import type { Self } from "./own-cert-facts";
import { RenewalLease } from "./own-cert-lease";
import { Registration } from "./own-cert-registration";
import { Overtaken, OwnCertRequests, placesOf, RequestRefused } from "./own-cert-requests";
import { type Times, usualTimes } from "./own-cert-step";

/** Between two looks; the shorter one while a change is under way, or nothing can be served. */
const pauseMs: Readonly<Record<Outlook, number>> = { quiet: 30_000, soon: 5_000 };
/** A look ends well within the lease under which it writes. */
const lookMs = 20_000;
const leaseMs = 90_000;

export interface KeeperParts {
  readonly self: Self;
  readonly sender: ApiSender;
  readonly certificate: Pick<ServedCertificate, "loaded" | "offer">;
  readonly log: Log;
  /** False: the registration is only compared with what is served. */
  readonly own: boolean;
  readonly times?: Times;
  readonly now?: () => number;
}

export class CertificateKeeper {
  private readonly registration: Registration;
  private readonly ownCert: OwnCert | undefined;
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private complaint = "";

  constructor(private readonly parts: KeeperParts) {
    const { self, sender, own, times = usualTimes, now = Date.now } = parts;
    const { names, namespace } = self;
    const requests = new OwnCertRequests(sender, names.webhookFieldManager);
    this.registration = new Registration(requests, self);
    const { lease: place } = placesOf(names, namespace);
    const holder = `${hostname()}_${randomUUID()}`;
    const lease = new RenewalLease({ requests, place, holder, lastsMs: leaseMs, now });
    const { registration } = this;
    if (own) this.ownCert = new OwnCert({ ...parts, requests, registration, lease, times, now });
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
      if (this.ownCert === undefined) await this.registration.read(signal);
      const outlook = (await this.ownCert?.look(signal)) ?? "quiet";
      this.complaint = "";
      return outlook;
    } catch (error) {
      return this.failed(error);
    }
  }

  private failed(error: unknown): Outlook | "never" {
    if (this.ending.signal.aborted) return "never";
    if (error instanceof Overtaken) return "soon";
    const rule = error instanceof RequestRefused ? error.missingRule() : undefined;
    if (this.ownCert === undefined) return rule === undefined ? "quiet" : "never";
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
}
