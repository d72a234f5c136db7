/** Clusters that an upgrade meets, each made of a few wishes, and what has to hold of `upgrade` on every one. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { constraintResource } from "../../plugin/domain/kube/kinds";
import { type KubeObject, objectLabel } from "../../plugin/domain/kube/objects";
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { type PartId, partIds } from "../../plugin/domain/base/part-ids";
import { withValue } from "../../plugin/domain/base/values";
import { type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import type { Report } from "../../plugin/kernel/report";
import { Changes, disagreement } from "../jobs/fault-runs";
import { KilledError } from "../jobs/faults";
import { aPlayedWorld, type PlayedWorld } from "./played-operator";
import { upgrade, withDatabases } from "./upgrade-runs";
import { exampleOnce } from "./world";

/** One way in which a cluster, or what is asked for, differs from the example. */
export interface Wish {
  readonly name: string;
  readonly change?: (object: KubeObject) => KubeObject | undefined;
  readonly more?: readonly KubeObject[];
  readonly words?: readonly string[];
}

const account = (namespace: string): string => `system:serviceaccount:${namespace}:ec`;
const scc = names.scc.current;

function changed(kind: string, path: readonly string[], value: unknown) {
  return (object: KubeObject): KubeObject =>
    object.kind === kind ? (withValue(object, path, value) as KubeObject) : object;
}

const image = names.ecFields.versionTag.slice(0, -1);

/** Every wish; any of them may be put together. */
export const wishes: readonly Wish[] = [
  { name: "databases follow", words: withDatabases.slice(1) },
  { name: "automatic", words: ["--auto"] },
  { name: "no tag", change: changed(names.ec.kind, image, undefined) },
  {
    name: "own repository",
    change: changed(names.ec.kind, image, { repository: "mirror/engine" }),
  },
  { name: "tag reached", change: changed(names.ec.kind, names.ecFields.versionTag, "8.0.2-17") },
  {
    name: "constraint bound",
    change: (object) =>
      object.kind === constraintResource.kind && object.metadata.name === scc
        ? { ...object, users: [account("engine"), "zoe"] }
        : object,
    more: [
      {
        apiVersion: "security.openshift.io/v1",
        kind: constraintResource.kind,
        metadata: { name: scc },
        users: [account("engine")],
      },
    ],
  },
  {
    name: "no admission controller",
    change: (object) => (object.kind === configurationResource.kind ? undefined : object),
  },
  {
    name: "no databases",
    change: ({ kind, ...rest }) =>
      kind === names.edb.kind || kind === names.eaadb.kind ? undefined : { kind, ...rest },
  },
  {
    name: "no active-active database",
    change: (object) => (object.kind === names.eaadb.kind ? undefined : object),
  },
  {
    name: "roles without rules",
    change: (object) =>
      object.kind === "Role" && object.metadata.namespace !== "engine"
        ? { ...object, rules: [] }
        : object,
  },
  {
    name: "roles with more rules",
    change: (object) =>
      object.kind === "Role" && object.metadata.namespace !== "engine"
        ? {
            ...object,
            rules: [
              ...(object["rules"] as readonly unknown[]),
              { apiGroups: [""], resources: ["events"], verbs: ["list"] },
            ],
          }
        : object,
  },
  {
    name: "no bindings",
    change: (object) =>
      object.kind === "RoleBinding" && object.metadata.namespace !== "engine" ? undefined : object,
  },
  { name: "registry", words: ["--image-registry", "mirror.local:5000"] },
  {
    name: "configuration ignores failures",
    change: (object) =>
      object.kind === configurationResource.kind
        ? {
            ...object,
            webhooks: (object["webhooks"] as readonly object[]).map((entry) => ({
              ...entry,
              failurePolicy: "Ignore",
            })),
          }
        : object,
  },
];

/** A cluster with these wishes. */
export interface UpgradeWorld {
  readonly objects: readonly KubeObject[];
  readonly words: readonly string[];
}

export async function worldOf(chosen: readonly Wish[]): Promise<UpgradeWorld> {
  const { objects } = await exampleOnce();
  const all = new Map(
    [...objects, ...chosen.flatMap(({ more = [] }) => more)].map((one) => [objectLabel(one), one]),
  );
  const wished = [...all.values()].flatMap((object) => {
    let now: KubeObject | undefined = object;
    for (const { change } of chosen)
      if (now !== undefined && change !== undefined) now = change(now);
    return now ?? [];
  });
  return { objects: wished, words: chosen.flatMap(({ words = [] }) => words) };
}

/** How one run ended, and what it wrote. */
export interface Ran {
  readonly code: number;
  readonly reason: string;
  readonly report: Report;
  /** `Kind namespace/name` of each. */
  readonly written: readonly string[];
}

/** A cluster on which runs follow one another. */
export class Trial {
  readonly #changes: Changes;

  private constructor(
    private readonly world: PlayedWorld,
    private readonly words: readonly string[],
  ) {
    this.#changes = new Changes(world.controlPlane);
  }

  static async of({ objects, words }: UpgradeWorld): Promise<Trial> {
    return new Trial(await aPlayedWorld({ objects }), words);
  }

  /** `until`: the process is killed once it has written so often. */
  async run(more: readonly string[], until = Infinity): Promise<Ran> {
    const written: string[] = [];
    const cluster = observe(this.world.cluster, async (call: ObservedCall, act) => {
      if (written.length >= until) throw new KilledError("killed");
      const value = await act();
      if (call.writes && !call.subject.includes("AccessReview")) written.push(call.subject);
      return value;
    });
    const run = upgrade({ ...this.world, cluster }, [...more, ...this.words]);
    const { report } = await (until === Infinity ? run : run.catch(killed));
    await this.world.settle();
    return { code: report.exit.code, reason: report.exit.reason, report, written };
  }

  async settle(): Promise<void> {
    await this.world.settle();
  }

  /** Some parts by themselves, and what went wrong; what is accepted of a database matches nothing of others. */
  async parts(ids: readonly PartId[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const first = this.words.indexOf("--skip");
    const isWhole = first < 0 || ids.includes("databases");
    const words = isWhole ? this.words : this.words.toSpliced(first, 2);
    const only = ids.join(",");
    const { code, reason } = await new Trial(this.world, words).run(["--yes", "--only", only]);
    return code === 0 ? [] : [`${only} ended with ${code}: ${reason}`];
  }

  difference() {
    // the revisions of a StatefulSet count how often it rolled
    return new Map([...this.#changes.difference()].filter(([key]) => !/^StatefulSet/.test(key)));
  }
}

async function killed(error: unknown): ReturnType<typeof upgrade> {
  if (!(error instanceof KilledError)) throw error;
  return await Promise.resolve({ report: { exit: { code: 70, reason: "killed" } } } as never);
}

function plannedIn({ steps = [] }: Report): readonly string[] {
  return steps.flatMap(({ object, write }) => (write === undefined ? [] : [subjectOf(object)]));
}

/** As a request names it. */
function subjectOf(object: string): string {
  const [kind = "", ...rest] = object.split("/");
  return `${kind} ${rest.join("/")}`;
}

const distinct = (all: readonly string[]): readonly string[] => [...new Set(all)].sort();

/** Without disturbance: what is planned is written, once, and nobody is surprised midway. */
export async function undisturbed(world: UpgradeWorld): Promise<readonly string[]> {
  const trial = await Trial.of(world);
  const planned = await trial.run(["--dry-run=server"]);
  const ran = await trial.run(["--yes"]);
  const again = await trial.run(["--yes"]);
  const wrong: string[] = [];
  if (planned.written.length > 0) wrong.push(`the dry run wrote ${planned.written.join(", ")}`);
  if (ran.code === 5 && planned.code !== 5) wrong.push(`ended with 5: ${ran.reason}`);
  if (ran.code !== planned.code) {
    wrong.push(`planned ${planned.code} (${planned.reason}), ran ${ran.code} (${ran.reason})`);
  }
  if (ran.code === 0) {
    const [plan, done] = [distinct(plannedIn(planned.report)), distinct(ran.written)];
    if (plan.join() !== done.join()) {
      wrong.push(`planned ${plan.join(", ")}; wrote ${done.join(", ")}`);
    }
    if (again.code !== 0) wrong.push(`again: ${again.code}, ${again.reason}`);
  }
  if (again.written.length > 0) wrong.push(`again it wrote ${again.written.join(", ")}`);
  return wrong;
}

/** How many writes an undisturbed run takes; 0 where it is refused. */
export async function writesOf(world: UpgradeWorld): Promise<number> {
  return (await (await Trial.of(world)).run(["--yes"])).written.length;
}

/** A process that is killed after its n-th write, and run again: the same end as of one run. */
export async function cutAfter(world: UpgradeWorld, writes: number): Promise<readonly string[]> {
  const [whole, cut] = [await Trial.of(world), await Trial.of(world)];
  const wanted = await whole.run(["--yes"]);
  await cut.run(["--yes"], writes);
  const planned = await cut.run(["--dry-run=server"]);
  const resumed = await cut.run(["--yes"]);
  const again = await cut.run(["--yes"]);
  const wrong: string[] = [];
  if (resumed.code !== wanted.code) {
    wrong.push(`resumed ${resumed.code} (${resumed.reason}), whole ${wanted.code}`);
  }
  if (planned.code !== resumed.code) wrong.push(`planned ${planned.code} (${planned.reason})`);
  const [plan, done] = [distinct(plannedIn(planned.report)), distinct(resumed.written)];
  if (resumed.code === 0 && plan.join() !== done.join()) {
    wrong.push(`planned ${plan.join(", ")}; wrote ${done.join(", ")}`);
  }
  if (again.written.length > 0) wrong.push(`again it wrote ${again.written.join(", ")}`);
  const differs = disagreement(whole.difference(), cut.difference());
  if (differs.length > 0) wrong.push(`ends otherwise: ${differs.join(", ")}`);
  return wrong.map((one) => `cut after ${writes}: ${one}`);
}

/** The writes of a plan by their parts, each as what it changes. */
function linesByPart({ steps = [] }: Report): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const { id, object, write } of steps) {
    const changes = (write?.changes ?? []).map(({ path, to }) => `${path}=${JSON.stringify(to)}`);
    const lines = (changes.length === 0 ? [""] : changes).map((change) =>
      [write?.verb, object, change].join(" ").trim(),
    );
    all.set(id, [...(all.get(id) ?? []), ...lines]);
  }
  return all;
}

/** What only one of two lists has. */
function unlike(first: readonly string[], then: readonly string[]): readonly string[] {
  return [
    ...first.filter((line) => !then.includes(line)).map((line) => `only at first: ${line}`),
    ...then.filter((line) => !first.includes(line)).map((line) => `only then: ${line}`),
  ];
}

/** The plan of each part before the first write is what is planned when its turn has come, change by change. */
export async function tightPlans(
  world: UpgradeWorld,
  parts: readonly PartId[] = partIds,
): Promise<readonly string[]> {
  const trial = await Trial.of(world);
  const first = linesByPart((await trial.run(["--dry-run=server"])).report);
  const wrong: string[] = [];
  let before: readonly PartId[] = [];
  for (const part of partIds) {
    if (parts.includes(part)) {
      wrong.push(...(await trial.parts(before)));
      before = [];
      const now = linesByPart((await trial.run(["--dry-run=server"])).report);
      const found = unlike(first.get(part) ?? [], now.get(part) ?? []);
      wrong.push(...found.map((line) => `${part}: ${line}`));
    }
    before = [...before, part];
  }
  return [...wrong, ...(await trial.parts(before))];
}

/** Whether a wish is among those of a world. */
type Has = (name: string) => boolean;

/** The worlds that `upgrade` refuses as they are: nothing is carried out there. */
const refusals: readonly ((has: Has) => boolean)[] = [
  // what is accepted of a database has to be found
  (has) => has("databases follow") && (has("no databases") || has("no active-active database")),
  // an image that lacks what its definition requires is only completed by the cluster's own patch
  (has) => isIncomplete(has) && has("registry"),
  (has) => has("own repository") && has("automatic") && !has("tag reached"),
];

/** Whether the image of the EC has a repository or a tag alone. */
function isIncomplete(has: Has): boolean {
  return has("own repository") || (has("no tag") && has("tag reached"));
}

/** Whether `upgrade` refuses a world with these wishes, whatever else is the case. */
export function isRefused(chosen: readonly Wish[]): boolean {
  return refusals.some((refuses) => refuses(hasOf(chosen)));
}

function hasOf(chosen: readonly Wish[]): Has {
  return (name) => chosen.some((wish) => wish.name === name);
}

/** What stands against some parts only. */
export interface Obstacle extends Wish {
  /** The parts that write it in such a world; none: it stands against nothing there. */
  readonly parts: (has: Has) => readonly PartId[];
  /** Objects that findings about it may name. */
  readonly about: RegExp;
}

const heldByHelm =
  (kind: string, name: string) =>
  (object: KubeObject): KubeObject =>
    object.kind === kind && object.metadata.name === name
      ? {
          ...object,
          metadata: {
            ...object.metadata,
            labels: { ...object.metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
            annotations: { ...object.metadata.annotations, "meta.helm.sh/release-name": "engine" },
          },
        }
      : object;

/** Each stands against its parts. */
export const obstacles: readonly Obstacle[] = [
  {
    name: "a role of Helm",
    change: heldByHelm("Role", names.rbac.consumerRole),
    parts: () => ["rbac-expand", "rbac-contract"],
    about: /edb-role|Namespace/,
  },
  {
    name: "an EC of Helm",
    change: heldByHelm(names.ec.kind, "ec"),
    parts: (has) => [
      ...(has("registry") ? (["operator"] as const) : []),
      ...(!has("tag reached") || has("automatic") ? (["auto-off", "cluster"] as const) : []),
    ],
    about: /EngineEnterpriseCluster/,
  },
  {
    name: "a database of Helm",
    change: heldByHelm(names.edb.kind, "sessions"),
    parts: (has) => (has("databases follow") && !has("no databases") ? ["databases"] : []),
    about: /sessions/,
  },
];

/** A part that stops changes neither the plan nor a finding of another one. */
export async function stopsAlone(
  chosen: readonly Wish[],
  obstacle: Obstacle,
): Promise<readonly string[]> {
  const plan = async (all: readonly Wish[]): Promise<Ran> =>
    await (await Trial.of(await worldOf(all))).run(["--dry-run=server"]);
  const [free, held] = [await plan(chosen), await plan([...chosen, obstacle])];
  const [before, after] = [linesByPart(free.report), linesByPart(held.report)];
  const parts = obstacle.parts(hasOf(chosen));
  const others = partIds.filter((part) => !parts.includes(part));
  const isHeld = held.code !== 0;
  return [
    ...(isHeld === parts.length > 0 ? [] : [`ended with ${held.code}: ${held.reason}`]),
    ...others.flatMap((part) =>
      unlike(before.get(part) ?? [], after.get(part) ?? []).map((line) => `${part}: ${line}`),
    ),
    ...unlike(findingLines(free, obstacle), findingLines(held, obstacle)),
  ];
}

/** A world that is refused: before anything is written, and always. */
export async function refused(world: UpgradeWorld): Promise<readonly string[]> {
  const trial = await Trial.of(world);
  const runs = [await trial.run(["--dry-run=server"]), await trial.run(["--yes"])];
  return runs.flatMap(({ code, written }) => [
    ...(code === 0 ? ["is not refused"] : []),
    ...(written.length > 0 ? [`wrote ${written.join(", ")}`] : []),
  ]);
}

/** The findings that are not about it. */
function findingLines({ report }: Ran, { about }: Obstacle): readonly string[] {
  return (report.findings ?? []).flatMap(({ code, object = "", cause }) =>
    about.test(object) ? [] : [`${code} ${object}: ${cause}`],
  );
}

/** What an undisturbed run does otherwise than its plan has said: writes, end, and pauses. */
export async function asPlanned(
  world: UpgradeWorld,
  parts: readonly PartId[] | undefined,
): Promise<readonly string[]> {
  const first = world.words.indexOf("--skip");
  const isWhole = first < 0 || parts === undefined || parts.includes("databases");
  const words = isWhole ? world.words : world.words.toSpliced(first, 2);
  const trial = await Trial.of({ ...world, words });
  // what is broken has come about before somebody looks
  await trial.settle();
  const only = parts === undefined ? [] : ["--only", parts.join(",")];
  const planned = await trial.run(["--dry-run=server", ...only]);
  const ran = await trial.run(["--yes", ...only]);
  return [
    ...(planned.written.length === 0 ? [] : [`the plan wrote ${planned.written.join(", ")}`]),
    ...unlikePlan(planned, ran),
  ];
}

function unlikePlan(planned: Ran, ran: Ran): readonly string[] {
  if (isOpenEnded(planned, ran)) return [];
  if (planned.code !== ran.code) {
    return [`planned ${planned.code} (${planned.reason}), ran ${ran.code} (${ran.reason})`];
  }
  // an end that says so predicts no write, whatever the parts would have done
  const isStopped = planned.code !== 0 && planned.reason.startsWith("nothing was written");
  const isPlanned = [0, 6].includes(planned.code) && !isStopped;
  const [plan, done] = [
    isPlanned ? distinct(plannedIn(planned.report)) : [],
    distinct(ran.written),
  ];
  const [pauses, paused] = [planned, ran].map(({ report }) => report.exit.next);
  return [
    ...(plan.join() === done.join()
      ? []
      : [`planned ${plan.join(", ")}; wrote ${done.join(", ")}`]),
    ...(!isPlanned || pauses === paused ? [] : [`next ${String(pauses)}, then ${String(paused)}`]),
  ];
}

/**
 * Nothing is to be written, and the operator has not acted yet on what was written before: how that ends
 * is seen only by who waits for it, and the plan says nothing of it.
 */
function isOpenEnded(planned: Ran, ran: Ran): boolean {
  return (
    planned.code === 0 &&
    ran.code === 1 &&
    plannedIn(planned.report).length + ran.written.length === 0 &&
    ran.reason.includes("its StatefulSet does not ask for")
  );
}

/** Some of the wishes, by a seed. */
export function chosenBy(seed: number): readonly Wish[] {
  let state = seed * 2_654_435_761;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  next();
  return wishes.filter(() => next() < 0.25);
}

export function describeWishes(chosen: readonly Wish[]): string {
  return chosen.map(({ name }) => name).join(", ") || "the example";
}
