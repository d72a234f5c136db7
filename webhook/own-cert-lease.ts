/**
 * Which replica renews. A lease is taken to have lapsed when it stood still for its whole length by
 * the own clock: clocks of nodes differ. Two holders for a moment are harmless all the same, since
 * every write is bound to what was read.
 */
import { at, type Json, text } from "../plugin/domain/values";
import { Overtaken, type OwnCertRequests, type Place, versionOf } from "./own-cert-requests";

export interface LeaseOptions {
  readonly requests: OwnCertRequests;
  readonly place: Place;
  /** Who this replica is; no other has the same. */
  readonly holder: string;
  readonly lastsMs: number;
  readonly now: () => number;
}

export class RenewalLease {
  private seen = { version: "", at: 0 };

  constructor(private readonly options: LeaseOptions) {}

  /** Takes or prolongs the lease; false while another replica has it. */
  async hold(signal: AbortSignal): Promise<boolean> {
    const { requests, place } = this.options;
    const found = await requests.read(place, signal);
    if (found !== undefined && this.standsFor(found)) return false;
    try {
      if (found === undefined) await requests.create(place, this.fresh(), signal);
      else await requests.patch(place, this.prolonged(found), signal);
      return true;
    } catch (error) {
      if (error instanceof Overtaken) return false;
      throw error;
    }
  }

  /** Whether another replica holds it still. */
  private standsFor(lease: Json): boolean {
    const { holder: self, lastsMs, now } = this.options;
    const version = versionOf(lease);
    if (version !== this.seen.version) this.seen = { version, at: now() };
    const holder = text(at(lease, ["spec", "holderIdentity"]));
    return holder !== undefined && holder !== self && now() - this.seen.at < lastsMs;
  }

  private fresh(): object {
    const { name, namespace, group, version } = this.options.place;
    const spec = { ...this.renewal(), acquireTime: this.time(), leaseTransitions: 0 };
    const metadata = { name, namespace };
    return { apiVersion: `${group}/${version}`, kind: "Lease", metadata, spec };
  }

  private prolonged(lease: Json) {
    const mine = at(lease, ["spec", "holderIdentity"]) === this.options.holder;
    const count = at(lease, ["spec", "leaseTransitions"]);
    const leaseTransitions = (typeof count === "number" ? count : 0) + 1;
    const taken = mine ? {} : { acquireTime: this.time(), leaseTransitions };
    const metadata = { resourceVersion: versionOf(lease) };
    return { metadata, spec: { ...this.renewal(), ...taken } };
  }

  private renewal() {
    const { holder: holderIdentity, lastsMs } = this.options;
    const leaseDurationSeconds = Math.ceil(lastsMs / 1_000);
    return { holderIdentity, leaseDurationSeconds, renewTime: this.time() };
  }

  /** The API server wants exactly six digits after the point. */
  private time(): string {
    return new Date(this.options.now()).toISOString().replace("Z", "000Z");
  }
}
