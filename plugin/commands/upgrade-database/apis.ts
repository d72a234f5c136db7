/** The REST APIs of the ECs of a run: what each has of the databases, looked at before the first call (S75, S88). */
import { unlessDenied, unlessForbidden } from "../../ports/forbidden";
import { requireMatched } from "../../domain/checks/selection";
import { warnOfBackups } from "../../domain/database/backup";
import { troubleFinding } from "../../domain/rest-api/troubles";
import { isLeftOut, lateCodes } from "../../domain/database/findings";
import { identifyAmong } from "../../domain/database/identity";
import { judgeUnread } from "../../domain/database/nodes";
import { type ApiOffer, offerFindings, readOffer, withOffer } from "../../domain/database/offer";
import { type DatabasePlan, planDatabase } from "../../domain/database/plan";
import { changePending, isWaitedFor } from "../../domain/database/state";
import { type DatabaseTarget, selectDatabases } from "../../domain/database/target";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type { World } from "../../kernel/world";
import type { ApiDatabase, ClusterApi } from "../../ports/rest-api";
import { callFindings, type Called, judgeCalled, needsCall } from "./by-rest-api";
import { acceptedBefore, groupFindings, listBlocks } from "./plan";
import { databaseResources, type UpgradeDatabaseDeps, type UpgradeDatabaseOptions } from "./read";

/** What the REST API of one EC has. */
interface ApiDatabases extends Pick<Called, "api" | "installed"> {
  readonly all: readonly ApiDatabase[];
  /** What of the cluster's resources has this EC. */
  readonly others: readonly DatabaseTarget[];
  readonly facts: Facts;
}

/** Each EC is asked when it is needed first. */
export class Apis {
  readonly #met = new Map<string, Called>();

  constructor(
    private readonly deps: UpgradeDatabaseDeps,
    private readonly options: UpgradeDatabaseOptions,
    private readonly tell: World["tell"],
  ) {}

  /**
   * What the REST API has of each database, by one list for each EC, and the plans with what it can
   * run. Throws what stands against the calls; plans that are left out for what their databases are
   * doing come back with the reason.
   */
  async meet(plans: readonly DatabasePlan[], facts: Facts): Promise<MetPlans> {
    const met: DatabasePlan[] = [];
    const told: Finding[] = [];
    const targets = await this.#everyTarget(facts);
    for (const ec of listEcs(plans)) {
      const api = await this.deps.api.connect(ec);
      const all = await api.databases(this.deps.signal);
      const uses = all.some(({ modules }) => modules.length > 0);
      const installed = uses ? await api.modules(this.deps.signal) : [];
      const own = plans.filter(({ target }) => target.ec === ec);
      const offer = await this.#offer({ api, ec }, own);
      const license = await this.#license(api, ec);
      const others = targets.filter(({ ec: other }) => isSameEc(other, ec));
      for (const before of own) {
        const plan = this.#withOffer(before, offer, facts);
        const found = await this.#one(plan, { api, all, installed, others, facts });
        const against = found.filter(({ severity }) => severity === "error");
        met.push({ ...plan, blocks: [...plan.blocks, ...license, ...against] });
        told.push(...found);
      }
    }
    requireMatched(
      this.options.skip.filter(({ code }) => lateCodes.includes(code)),
      told,
    );
    const leftOut = met.filter(({ blocks }) => isLeftOut(blocks));
    // where there is no other, it is the run that is blocked
    const blocked = leftOut.length < met.length ? met.filter((one) => !leftOut.includes(one)) : met;
    const findings = blocked.flatMap(({ blocks }) => blocks);
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, groupFindings(findings));
    this.tell(told.filter(({ severity }) => severity === "warning"));
    const fit = met.filter((one) => !leftOut.includes(one));
    const called = fit.flatMap((plan) => this.#called(plan));
    this.deps.recorder.addFindings(warnOfBackups(called, this.deps.names));
    return { plans: fit, leftOut };
  }

  /** An expired license refuses every upgrade, whatever the status of the EC says. */
  async #license(api: ClusterApi, ec: KubeObject): Promise<readonly Finding[]> {
    const { signal, names } = this.deps;
    const license = await unlessDenied(api.license(signal), undefined);
    if (license?.expired !== true) return [];
    const until = license.expirationDate === undefined ? "" : `, on ${license.expirationDate}`;
    const cause = `the REST API reports that the license has expired${until}`;
    return [troubleFinding("license", { object: objectLabel(ec), cause }, names)];
  }

  /** The database with its record, where it is called. */
  #called(plan: DatabasePlan) {
    const called = this.#met.get(plan.label);
    if (called === undefined || !needsCall(called, plan, { options: this.options })) return [];
    return [{ object: plan.target.object, bdb: called.bdb }];
  }

  /**
   * What the EC's nodes can run and its policy, where a version is asked for. A number needs neither,
   * so that it is not held up where they may not be read; without them a channel is not resolved.
   */
  async #offer(
    { api, ec }: { readonly api: ClusterApi; readonly ec: KubeObject },
    plans: readonly DatabasePlan[],
  ): Promise<ApiOffer | undefined> {
    const { deps, options } = this;
    const { version } = options;
    if (version === undefined || version === "") return undefined;
    const { names, signal } = deps;
    const isChannel = [names.majorChannel, names.latestChannel].includes(version);
    const read = async <T>(asked: Promise<T>): Promise<T | undefined> =>
      await (isChannel ? asked : unlessDenied(asked, undefined));
    const nodes = await read(api.nodes(signal));
    const offer = readOffer(nodes, await read(api.policy(signal)), names);
    const object = objectLabel(ec);
    this.tell(judgeUnread(object, offer.nodes, names));
    const [lookup] = plans.flatMap(({ target }) => target.lookup);
    if (isChannel && lookup?.is === "found") {
      this.tell(offerFindings({ object, cluster: lookup.cluster }, offer, names));
    }
    return offer;
  }

  /** The plan with what the REST API offers; what a person has accepted is not told again. */
  #withOffer(plan: DatabasePlan, offer: ApiOffer | undefined, facts: Facts): DatabasePlan {
    if (offer === undefined) return { ...plan, blocks: [] };
    const { deps, options } = this;
    const next = planDatabase(facts, withOffer(plan.target, offer, deps.names), options);
    return { ...next, blocks: listBlocks(next.blocks, options) };
  }

  /** The databases of all namespaces, where they may be listed: two may stand for one record. */
  async #everyTarget(facts: Facts): Promise<readonly DatabaseTarget[]> {
    const { cluster, names, signal } = this.deps;
    const asked = cluster.list(databaseResources(names).edb, { whole: true, signal });
    const listed = await unlessForbidden(asked, undefined);
    const objects = { ...facts.objects, edbs: listed ?? facts.objects.edbs };
    const selection = { names: [], everywhere: true, via: "api" } as const;
    return selectDatabases({ ...facts, objects }, selection).targets;
  }

  of({ label }: DatabasePlan): Called | undefined {
    return this.#met.get(label);
  }

  async #one(
    plan: DatabasePlan,
    { api, all, installed, others, facts }: ApiDatabases,
  ): Promise<readonly Finding[]> {
    const { deps, options } = this;
    const { label, passedOver, target } = plan;
    if (passedOver) return [];
    const found = identifyAmong(target, { others, all }, deps.names);
    if (found.is === "unproven") return judgeCalled(facts, target, found);
    const { bdb } = found;
    const rivals = async (now: Facts) => {
      const targets = await this.#everyTarget(now);
      return targets.filter(({ ec }) => target.ec !== undefined && isSameEc(ec, target.ec));
    };
    this.#met.set(label, { api, uid: bdb.uid, bdb, installed, rivals });
    const calls = needsCall({ bdb, installed }, plan, { options });
    if (!calls) return acceptedBefore(facts, { ...target, identity: found }, options);
    const against = callFindings(plan, bdb, { wanted: options, facts });
    if (!against.some(isWaitedFor)) return against;
    // an action that runs is followed, whoever has begun it
    const follows = options.wait || (await this.#isActing(api, bdb));
    return against.filter((one) => !follows || !isWaitedFor(one));
  }

  async #isActing(api: ClusterApi, { uid, status }: ApiDatabase): Promise<boolean> {
    if (status !== changePending) return false;
    const actions = (await api.listActions(uid, this.deps.signal)) ?? [];
    return actions.some(({ is }) => is === "running");
  }
}

/** The plans with what the REST API offers, and those that are left out with the reason. */
interface MetPlans {
  readonly plans: readonly DatabasePlan[];
  readonly leftOut: readonly DatabasePlan[];
}

function isSameEc(one: KubeObject | undefined, other: KubeObject): boolean {
  return one !== undefined && objectLabel(one) === objectLabel(other);
}

/** The ECs of the databases, each once. */
export function listEcs(plans: readonly DatabasePlan[]): readonly KubeObject[] {
  return [...new Set(plans.flatMap(({ target }) => target.ec ?? []))];
}
