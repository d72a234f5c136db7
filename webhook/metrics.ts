/** The numbers seen from outside (admission facts 13); no label carries what a user wrote. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export interface ReviewFacts {
  /** A judged kind of the product, or `other`. */
  readonly kind: string;
  readonly operation: string;
  readonly version: string;
  readonly dryRun: boolean;
  readonly verdict: "allow" | "deny" | "unknown" | "unreadable" | "error";
  /** The rules that refused, joined by commas; `none`. */
  readonly rule: string;
  /** Rules that only warn, and would have refused. */
  readonly wouldDeny: readonly string[];
  /** Parts of an EC that do not tell enough to refuse. */
  readonly uncertain: readonly ("policy" | "modules")[];
  readonly bypass: "none" | "granted" | "ignored";
  /** Why an EC was read live, and what came of it. */
  readonly live?:
    { readonly reason: "confirm" | "missing"; readonly outcome: LiveOutcome } | undefined;
}

type LiveOutcome = "confirmed" | "overturned" | "found" | "absent" | "unreadable" | "shed";

/** What is asked when the numbers are read, not before. */
export interface Observed {
  readonly inFlight: () => number;
  readonly cacheSynced: () => boolean;
  readonly cacheAgeMs: () => number | undefined;
  readonly cacheObjects: () => number;
  readonly cacheRelists: () => number;
  /** RFC 3339; undefined without a certificate. */
  readonly notAfter: () => string | undefined;
  /** RFC 3339; undefined where callers need no certificate. */
  readonly clientCaNotAfter: () => string | undefined;
}

const seconds = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const bytes = [1, 4, 16, 64, 256, 1024, 4096, 8192].map((kib) => kib * 1024);
const prefix = "engine_admission";

/** All metrics of the process, in a registry of their own. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.counter("requests_total", "Reviews answered, by verdict", [
    "kind",
    "operation",
    "verdict",
    "rule",
    "dry_run",
    "review_version",
  ]);
  private readonly wouldDeny = this.counter(
    "would_deny_total",
    "Reviews that a rule under the setting warn would have refused",
    ["rule"],
  );
  private readonly uncertain = this.counter(
    "uncertain_total",
    "Reviews that passed because the cluster does not tell enough to refuse them",
    ["part"],
  );
  private readonly unknownPolicies = this.counter(
    "unknown_policy_total",
    "Upgrade policies of clusters that are not known, once for each cluster and value",
    [],
  );
  private readonly duration = this.histogram(
    "request_duration_seconds",
    "Time from the head of a review to its answer",
    seconds,
  );
  private readonly bodies = this.histogram("body_bytes", "Size of the reviews", bytes);
  private readonly liveGets = this.counter(
    "live_get_total",
    "Live reads of clusters, by why and what came of it",
    ["reason", "outcome"],
  );
  private readonly overturned = this.counter(
    "deny_overturned_total",
    "Denials by what was known that a live read reversed",
    [],
  );
  private readonly sheds = this.counter("shed_total", "Calls turned away unjudged", ["reason"]);
  private readonly reloads = this.counter(
    "tls_reload_total",
    "Looks at the certificate folder that changed or refused something",
    ["outcome"],
  );
  private readonly clientCaReloads = this.counter(
    "client_ca_reload_total",
    "Looks at the file of the client CA that changed or refused something",
    ["outcome"],
  );
  private readonly bypasses = this.counter(
    "bypass_total",
    "Reviews with the annotation of the emergency bypass, by whether it counted",
    ["outcome"],
  );
  private readonly panics = this.counter(
    "panics_total",
    "Calls that a mistake in the program ended",
    [],
  );

  review(facts: ReviewFacts, took: { readonly seconds: number; readonly bytes: number }): void {
    const { verdict, live } = facts;
    const { kind, operation, rule, version: review_version } = facts;
    const dry_run = String(facts.dryRun);
    this.requests.inc({ kind, operation, verdict, rule, dry_run, review_version });
    this.duration.observe(took.seconds);
    this.bodies.observe(took.bytes);
    for (const each of facts.wouldDeny) this.wouldDeny.inc({ rule: each });
    for (const part of facts.uncertain) this.uncertain.inc({ part });
    if (facts.bypass !== "none") this.bypasses.inc({ outcome: facts.bypass });
    if (live?.outcome === "shed") this.shed("live reads");
    else if (live !== undefined) this.liveGets.inc(live);
    if (live?.outcome === "overturned") this.overturned.inc();
    if (verdict === "error") this.panic();
  }

  /** Counts a call that was turned away before it was judged. */
  shed(reason: "overloaded" | "large bodies" | "live reads" | "late"): void {
    this.sheds.inc({ reason });
  }

  /** Counts a call that ended without a verdict, by a mistake in the program. */
  panic(): void {
    this.panics.inc();
  }

  /** Counts an EC whose upgrade policy has a value that the rules do not know. */
  unknownPolicy(): void {
    this.unknownPolicies.inc();
  }

  reload(outcome: "served" | "refused"): void {
    this.reloads.inc({ outcome });
  }

  clientCaReload(outcome: "served" | "refused"): void {
    this.clientCaReloads.inc({ outcome });
  }

  /** Adds what is looked at when someone asks. */
  observe(observed: Observed): void {
    this.gauge("in_flight", "Reviews being answered", observed.inFlight);
    this.gauge("cache_synced", "1 once all clusters were read", () =>
      Number(observed.cacheSynced()),
    );
    this.gauge("cache_last_event_age_seconds", "Time since the clusters were last heard of", () => {
      const ms = observed.cacheAgeMs();
      return ms === undefined ? NaN : ms / 1_000;
    });
    this.gauge("cache_objects", "Clusters known", observed.cacheObjects);
    this.gauge("cache_relists", "Complete lists after the first", observed.cacheRelists);
    this.end("tls_not_after_seconds", "End of the served certificate", observed.notAfter);
    this.end(
      "client_ca_not_after_seconds",
      "Next end of a certificate of the client CA",
      observed.clientCaNotAfter,
    );
  }

  /** The exposition format and its content type. */
  async render(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  private counter<L extends string>(name: string, help: string, labelNames: readonly L[]) {
    const registers = [this.registry];
    return new Counter({ name: `${prefix}_${name}`, help, labelNames, registers });
  }

  private histogram(name: string, help: string, buckets: number[]) {
    return new Histogram({ name: `${prefix}_${name}`, help, buckets, registers: [this.registry] });
  }

  /** A moment, as RFC 3339 where it is read. */
  private end(name: string, help: string, read: () => string | undefined): void {
    this.gauge(name, `${help}, in Unix time`, () => Date.parse(read() ?? "") / 1_000);
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `${prefix}_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
