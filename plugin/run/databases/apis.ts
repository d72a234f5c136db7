/** The REST APIs of a run: one connection for each EC, and what each has of the databases (S75, S94, S105). */
import { bdbFindings, bdbOf } from "../../domain/databases/bdb";
import type { DatabasePlan } from "../../domain/databases/plan";
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { ApiDatabase, ClusterApi } from "../cluster-api";
import { BlockedError } from "../recorder";
import { type Called, needsCall } from "./by-api";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { gathered } from "./gathered";

/** What the REST API of one EC has. */
interface Read extends Pick<Called, "api" | "installed"> {
  readonly all: readonly ApiDatabase[];
}

/** Connections are made when they are needed first, and closed together. */
export class Apis {
  readonly #connected = new Map<string, Promise<ClusterApi>>();
  readonly #met = new Map<string, Called>();

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
  ) {}

  /** What the REST API has of each database, by one list for each EC; what stands against the calls. */
  async meet(plans: readonly DatabasePlan[]): Promise<void> {
    const findings: Finding[] = [];
    for (const ec of ecsOf(plans)) {
      const api = await this.#of(ec);
      const all = await api.databases(this.deps.signal);
      const uses = all.some(({ modules }) => modules.length > 0);
      const installed = uses ? await api.modules(this.deps.signal) : [];
      const own = plans.filter(({ target }) => target.ec === ec);
      findings.push(...own.flatMap((plan) => this.#one(plan, { api, all, installed })));
    }
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, gathered(findings));
  }

  of({ label }: DatabasePlan): Called | undefined {
    return this.#met.get(label);
  }

  close(): void {
    for (const api of this.#connected.values()) {
      api.then(
        (found) => {
          found.close();
        },
        () => undefined,
      );
    }
  }

  #one(plan: DatabasePlan, { api, all, installed }: Read): readonly Finding[] {
    const { deps, options } = this;
    const { label, passedOver, target } = plan;
    if (passedOver) return [];
    const bdb = bdbOf(target.object, all, deps.names);
    if (bdb !== undefined) this.#met.set(label, { api, uid: bdb.uid, bdb, installed });
    const calls = bdb !== undefined && needsCall({ bdb, installed }, plan, { deps, options });
    return bdbFindings(target.object, bdb, { request: options.request, calls });
  }

  #of(ec: KubeObject): Promise<ClusterApi> {
    const label = objectLabel(ec);
    const api = this.#connected.get(label) ?? this.deps.api.connect(ec);
    this.#connected.set(label, api);
    return api;
  }
}

/** The ECs of the databases, each once. */
export function ecsOf(plans: readonly DatabasePlan[]): readonly KubeObject[] {
  return [...new Set(plans.flatMap(({ target }) => target.ec ?? []))];
}
