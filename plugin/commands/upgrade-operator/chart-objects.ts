/**
 * What helm would do to each object of a chart, before it is called (S20): every rendered object passes through the
 * reader, the comparison and the rules of an object of a bundle. Nothing is written.
 */
import { ApiError, UsageError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { skipWord } from "../../domain/base/skip";
import { boundList, countNoun } from "../../domain/base/values";
import { findDeletion } from "../../domain/kube/deletion";
import { differences, listReordered } from "../../domain/kube/differences";
import { kinds, rbacKinds } from "../../domain/kube/kinds";
import {
  isKubeObject,
  type KubeObject,
  objectLabel,
  type Ref,
  splitApiVersion,
} from "../../domain/kube/objects";
import { listHeld } from "../../domain/kube/owners";
import { judgeLostRights } from "../../domain/operator/additions";
import { type ChartHook, type HookEvent, listHooks } from "../../domain/operator/chart-hooks";
import type { DeployedChart, RenderedChart } from "../../domain/operator/chart-images";
import {
  chartKey,
  isKept,
  judgeDeleted,
  listLeaving,
  listRemoved,
  listSent,
  listSharedPorts,
  listUnset,
  placeRendered,
} from "../../domain/operator/chart-objects";
import { judgeRenewed, type Unstable } from "../../domain/operator/chart-renders";
import { operatorFinding, operatorFindings, unusualCode } from "../../domain/operator/findings";
import { findBundleKind, isOperator, unusualIn } from "../../domain/operator/wanted";
import type { Session } from "../../kernel/session";
import { workByPlan } from "../../kernel/send";
import { buildApply, type Evaluated, isWritten, judgeHeldRights, makeUnjudged } from "./changes";
import { judgeChartChanges } from "./chart-changes";
import { ChartReader, type UnseenObject } from "./chart-reader";
import { attempts, evaluateApply, type Tried } from "./evaluate";
import { heldBesideHelm, judgeHeld } from "./local-changes";
import type { OperatorDeps } from "./read";

/** Helm's own manager: what an apply by it meets is what others hold. */
export const helmManager = "helm";

/** What the objects of a chart are judged with. */
export interface ChartPlanning {
  readonly deps: OperatorDeps;
  /** Under helm's manager. */
  readonly session: Session;
  readonly dryRun: "none" | "client" | "server";
  readonly namespace: string;
  readonly releaseName: string;
  /** Local changes that the chart wins. */
  readonly takeFields: readonly string[];
  /** Objects that are accepted although they are unusual, or hold data and are deleted. */
  readonly allowObjects: readonly string[];
  /** What a second render gives differently. */
  readonly unstable: Unstable;
}

/** An object that helm deletes, or leaves where it is. */
export interface Leaving {
  readonly live: KubeObject;
  readonly ref: Ref;
  readonly isKept: boolean;
}

/** An object that was not compared. */
interface Unseen {
  readonly object: string;
  readonly because: string;
}

/** A hook that the upgrade runs; undefined: its kind is not served yet. */
export interface PlacedHook {
  readonly hook: ChartHook;
  readonly event: HookEvent;
  readonly label: string;
  readonly ref: Ref | undefined;
}

/** Everything that helm would do to objects of the release, in its order. */
export interface ChartObjects {
  readonly written: readonly Evaluated[];
  readonly leaving: readonly Leaving[];
  readonly unseen: readonly Unseen[];
  readonly hooks: readonly PlacedHook[];
  readonly findings: readonly Finding[];
  /** Variables of the operator that helm itself has set before. */
  readonly byHelm: readonly string[];
  /** Other managers hold fields that the chart sets otherwise. */
  readonly takes: boolean;
}

/** Reads and judges every object of the chart. */
export async function planChartObjects(
  planning: ChartPlanning,
  rendered: RenderedChart,
  deployed: DeployedChart,
): Promise<ChartObjects> {
  return await new ChartObjectsPlan(planning, rendered, deployed).plan();
}

class ChartObjectsPlan {
  readonly #reader: ChartReader;
  readonly #before: ReadonlyMap<string, KubeObject>;
  readonly #unseen: Unseen[] = [];
  readonly #byHelm: string[] = [];
  #takes = false;

  constructor(
    private readonly planning: ChartPlanning,
    private readonly rendered: RenderedChart,
    private readonly deployed: DeployedChart,
  ) {
    const { deps, namespace } = planning;
    this.#reader = new ChartReader(deps, namespace);
    const objects = deployed.objects.filter(isKubeObject);
    this.#before = new Map(objects.map((object) => [chartKey(object, namespace), object]));
  }

  async plan(): Promise<ChartObjects> {
    const { rendered } = this;
    const written: Evaluated[] = [];
    for (const object of rendered.objects) written.push(...(await this.#evaluate(object)));
    const leaving = await this.#findLeaving();
    const odd = rendered.objects.filter((object) => !isKubeObject(object)).length;
    if (odd > 0) {
      const because = `${countNoun(odd, "document")} of what helm renders tells no object`;
      this.#unseen.push({ object: this.#releaseLabel, because });
    }
    const unread = this.deployed.unread ?? [];
    if (unread.length > 0) {
      this.#unseen.push({
        object: this.#releaseLabel,
        because: `what helm has deployed cannot be read as a whole, so that which objects and fields leave the release is not known: ${boundList(unread)}`,
      });
    }
    const hooks = [
      ...(await this.#placeHooks("pre-upgrade")),
      ...(await this.#placeHooks("post-upgrade")),
    ];
    return {
      ...{ written, leaving, unseen: this.#unseen, hooks },
      ...{ byHelm: this.#byHelm, takes: this.#takes },
      findings: this.#judge(written, leaving),
    };
  }

  get #releaseLabel(): string {
    return `Release/${this.planning.namespace}/${this.planning.releaseName}`;
  }

  #judge(written: readonly Evaluated[], leaving: readonly Leaving[]): readonly Finding[] {
    const { deps, allowObjects: accepted } = this.planning;
    const { names } = deps;
    const deleted = leaving
      .filter((one) => !one.isKept)
      .map(({ live }) => judgeDeleted(live, { names, accepted }));
    const unusual = this.#listUnusual(written);
    const found = [...deleted.map(({ object }) => object), ...unusual.known];
    const idle = accepted.filter((object) => !found.includes(object));
    if (idle.length > 0) {
      throw new UsageError(
        idle.map((object) => `--skip CODE=${object}: nothing of that name needs to be accepted`),
      );
    }
    return [
      ...written.flatMap((step) => step.findings),
      ...written.flatMap((step) => this.#judgeRenewed(step)),
      ...unusual.findings,
      ...written.filter(isWritten).flatMap((step) => judgeHeldRights(step, names)),
      ...deleted,
      ...this.#unseen.map(({ object, because: cause }) =>
        operatorFinding("chartUnseen", { object, cause: `it was not compared: ${cause}` }),
      ),
    ];
  }

  #judgeRenewed({ object, changes }: Evaluated): readonly Finding[] {
    const { deps, dryRun } = this.planning;
    const changed = changes.map(({ field }) => field);
    const unstable = this.#listUnstable(object);
    const facts = { names: deps.names, isBlind: dryRun === "client" };
    const finding = judgeRenewed({ object, changed, unstable }, facts);
    return finding === undefined ? [] : [finding];
  }

  #listUnstable(object: KubeObject): readonly string[] {
    const { unstable, namespace } = this.planning;
    return unstable.get(chartKey(object, namespace)) ?? [];
  }

  /** Hooks give rights as well, for as long as they run. */
  #listUnusual(written: readonly Evaluated[]) {
    const { deps, allowObjects } = this.planning;
    const { rendered } = this;
    const held = written.flatMap(({ live }) => live ?? []);
    const hooks = (rendered.hooks ?? []).map(({ object }) => object);
    const objects = [...rendered.objects.filter(isKubeObject), ...hooks];
    const known = unusualIn(objects, deps.names).map(({ object }) => object);
    const findings = unusualIn(objects, deps.names, held)
      .filter(({ object }) => !allowObjects.includes(object))
      .map(({ object, because: cause }) =>
        operatorFinding("unusual", {
          ...{ object, cause },
          fix: `accept it with --skip ${skipWord({ code: unusualCode, object })}`,
        }),
      );
    return { known, findings };
  }

  async #findLeaving(): Promise<readonly Leaving[]> {
    const { namespace } = this.planning;
    const now = this.rendered.objects.filter(isKubeObject);
    const leaving: Leaving[] = [];
    for (const object of listLeaving([...this.#before.values()], now, namespace)) {
      const found = await this.#reader.read(object);
      if (found.is === "unseen") {
        const because = `it leaves the release, and helm deletes it unless it is marked to be kept; ${found.because}`;
        this.#unseen.push({ object: found.label, because });
      } else if (found.live !== undefined) {
        leaving.push({ live: found.live, ref: found.ref, isKept: isKept(found.live) });
      }
    }
    return leaving;
  }

  async #evaluate(object: unknown): Promise<readonly Evaluated[]> {
    const { deps } = this.planning;
    if (!isKubeObject(object)) return [];
    const evaluated = await workByPlan(deps, object, {
      work: (one) => this.#evaluateOnce(one),
      again: (_error, one) => Promise.resolve(one),
      attempts,
    });
    if ("because" in evaluated) {
      this.#unseen.push({ object: evaluated.label, because: evaluated.because });
      return [];
    }
    return [evaluated];
  }

  async #evaluateOnce(rendered: KubeObject): Promise<Evaluated | UnseenObject> {
    const found = await this.#reader.read(rendered);
    if (found.is === "unseen") return found;
    const { live, ref } = found;
    const { namespace, releaseName: name } = this.planning;
    const namespaced = ref.namespace !== undefined;
    const object = placeRendered(rendered, { name, namespace }, { namespaced });
    const kind = findBundleKind(object) ?? {
      resource: ref.resource,
      step: "operator.object",
      namespaced,
    };
    const at = makeUnjudged({ kind, object }, { live, ours: helmManager, source: "chart" });
    const deletion = findDeletion(live);
    if (deletion !== undefined) return { ...at, findings: [deletion] };
    const before = this.#before.get(chartKey(rendered, namespace));
    const done = await evaluateApply(at, {
      tryApply: (one) => this.#try(one),
      judge: ({ live: has, held, stored }) =>
        Promise.resolve(this.#judgeHeld({ live: has, wanted: object }, { held, stored })),
      listRemoved: (has, stored) =>
        stored !== undefined && this.rendered.appliesOnServer === true
          ? listUnset(has, object, stored)
          : listRemoved(before, object, has),
    });
    return this.#judgeOperator(this.#withSent(withOrder(done), before), before);
  }

  /** Of a kind that helm does not know it sends less than what differs. */
  #withSent(done: Evaluated, before: KubeObject | undefined): Evaluated {
    if (done.is !== "change" || this.rendered.appliesOnServer === true) return done;
    const changes = listSent(done.changes, before, done.kind.resource);
    const shared = listSharedPorts(done.object, changes).map((field) =>
      operatorFinding("chartUnseen", {
        ...{ object: objectLabel(done.object), field },
        cause:
          "two ports share a number, and the merge of helm 3 knows a port by its number alone: what becomes of both is not known",
        fix: "look at the ports after the upgrade, and correct them by kubectl edit; helm 4 knows them apart where it installed the release",
      }),
    );
    return {
      ...{ ...done, changes, findings: [...done.findings, ...shared] },
      is: changes.length + done.removed.length > 0 ? "change" : "same",
    };
  }

  /** Of the operator's Deployment more is known: what people and post-renderers set, and who pulls from where. */
  #judgeOperator(done: Evaluated, before: KubeObject | undefined): Evaluated {
    const { deps, namespace, takeFields } = this.planning;
    const { live, object: wanted } = done;
    const isOther = wanted.metadata.namespace !== namespace;
    if (live === undefined || isOther || !isOperator(wanted, deps.names)) return done;
    const verdict = judgeChartChanges({ live, wanted, before }, takeFields);
    this.#byHelm.push(...verdict.byHelm);
    const general = done.findings.filter(
      ({ code, field = "" }) =>
        code !== operatorFindings.localChange.code || !verdict.covers(field),
    );
    const gone = verdict.gone.filter((field) => !done.removed.includes(field));
    const removed = [...done.removed, ...gone];
    const isChanged = done.is === "change" || removed.length > 0;
    return {
      ...{ ...done, removed, findings: [...general, ...verdict.findings] },
      is: isChanged ? "change" : done.is,
    };
  }

  #judgeHeld(
    pair: { readonly live: KubeObject; readonly wanted: KubeObject },
    tried: Tried,
  ): ReturnType<typeof judgeHeld> {
    const { deps, namespace, takeFields } = this.planning;
    this.#takes ||= tried.held.length > 0;
    // what a definition comes to is judged by its fields, and not by who holds them
    if (pair.wanted.kind === kinds.definition.kind) return { findings: [], force: true };
    const ours = deps.names.fieldManager;
    const { findings } = judgeHeld({ ...pair, ...tried, ours, takeFields, byHelm: true });
    const isRights = splitApiVersion(pair.wanted.apiVersion).group === rbacKinds.role.group;
    const before = this.#before.get(chartKey(pair.wanted, namespace));
    const lost = isRights ? judgeLostRights({ ...pair, before }, takeFields) : [];
    // the rights that are lost say more than both lists
    const others = findings.filter(({ field }) => !lost.some((one) => one.field === field));
    return { findings: [...others, ...lost], force: true };
  }

  /** By a dry run under helm's name; what the API server says of that alone is no refusal of helm's own merge. */
  async #try(at: Evaluated): Promise<Tried> {
    const { session, dryRun } = this.planning;
    const { live, object } = at;
    const seen = (): Tried["held"] =>
      live === undefined ? [] : heldBesideHelm(live, differences(live, object));
    if (dryRun !== "client") {
      try {
        const { held, stored } = await session.tryOver(buildApply(at));
        // of a Secret the answer is not read, since it may quote what it holds
        const isHidden = object.kind === kinds.secret.kind;
        if (stored !== undefined) return { held: isHidden ? seen() : listHeld(held), stored };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 422) throw error;
      }
    }
    // what was not looked up is generated again, and no change of anybody's
    const unstable = dryRun === "client" ? this.#listUnstable(object) : [];
    return { held: seen().filter(({ field }) => !unstable.includes(field)), stored: undefined };
  }

  async #placeHooks(event: HookEvent): Promise<readonly PlacedHook[]> {
    return await Promise.all(
      listHooks(this.rendered.hooks, event).map(async (hook) => {
        const { label, ref } = await this.#reader.place(hook.object);
        return { hook, event, label, ref };
      }),
    );
  }
}

/** Helm orders lists as the chart has them, for which pods are made anew. */
function withOrder(done: Evaluated): Evaluated {
  const { live, object, changes, stored = object } = done;
  const known = changes.map(({ field }) => field);
  const reordered = listReordered(live, stored).filter(({ field }) => !known.includes(field));
  if (reordered.length === 0) return done;
  return { ...done, changes: [...changes, ...reordered], is: "change" };
}
