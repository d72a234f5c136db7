/** Where commands that write begin: their words, what ran before them, and what the cluster holds. */
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { exampleDefinitions, exampleSource } from "../../plugin/simulator/example";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { serveAll } from "./probes";
import { admin, makeWorld } from "./world";
import { alone, scc } from "../plugin/commands/unbind-scc/objects";
import { testTime } from "./manual-clock";
import { type Ended, type Scene, typed } from "./program-world";
import { writeRelease } from "./releases/tree";
import { aFolder } from "./a-folder";

const namespace = names.operator.namespace;

/** Files that commands are given. */
export interface Place {
  readonly release: string;
}

/** The words after the program. */
export type Words = (place: Place) => readonly string[];

/** The state that a command begins with. */
export interface Start {
  /** Commands that ran before, each to its end with 0. */
  readonly before?: readonly Words[];
  /** What the cluster holds, made of the example's objects. */
  readonly objects?: (example: readonly KubeObject[]) => readonly KubeObject[];
}

const webhook: Words = () => ["upgrade-webhook", "--no-probe"];
const rbac: Words = ({ release }) => ["reapply-rbac", "--release", release];
const operator: Words = ({ release }) => ["upgrade-operator", "--release", release];
const cluster: Words = () => ["upgrade-cluster", "ec", "--target", "8.0.2-17"];
const database: Words = () => [
  ...["upgrade-database", "config", "--engine-version", "8.0"],
  "--may-discard-data",
];
const upgrade: Words = ({ release }) => ["upgrade", "--release", release, "--no-probe"];

const bound = (): readonly KubeObject[] => [...exampleDefinitions(names), ...alone];
const withoutPair = (example: readonly KubeObject[]): readonly KubeObject[] =>
  example.filter(
    ({ kind, metadata }) => kind !== "Secret" || metadata.name !== names.webhook.secret,
  );

/** Commands that write, each with what it needs before it. */
export const starts = {
  "upgrade-webhook": { words: webhook },
  "reapply-rbac": { words: rbac },
  "reapply-rbac-contract": {
    words: (place: Place) => [...rbac(place), "--mode", "contract"],
    before: [rbac, operator],
  },
  "unbind-scc": { words: () => ["unbind-scc", "--scc", scc], objects: bound },
  "upgrade-operator": { words: operator, before: [rbac] },
  "upgrade-cluster": { words: cluster, before: [rbac, operator, webhook] },
  "upgrade-database": { words: database, before: [rbac, operator, webhook, cluster] },
  "cert-create": { words: () => ["cert", "create"], objects: withoutPair },
  "cert-replace": { words: () => ["cert", "create", "--replace"] },
  upgrade: { words: upgrade },
} satisfies Readonly<Record<string, Start & { readonly words: Words }>>;

/** Clusters on which commands begin: a command that ran before several of them runs once. */
export class Starts {
  readonly folder = aFolder("starts");
  readonly place = { release: writeRelease(join(this.folder, "release"), "8.0.2-2") };
  private readonly prepared = new Map<Start["objects"], Map<string, Promise<MemoryControlPlane>>>();
  private homes = 0;

  /** `change` makes each object of the example what the tests need of it. */
  constructor(private readonly change: (object: KubeObject) => KubeObject = (object) => object) {}

  /** Never changed: every run is given a fork. */
  of({ objects, before = [] }: Start): Promise<MemoryControlPlane> {
    const alike = this.prepared.get(objects) ?? new Map<string, Promise<MemoryControlPlane>>();
    this.prepared.set(objects, alike);
    const title = JSON.stringify(before.map((words) => words(this.place)));
    const start = alike.get(title) ?? this.prepare(objects, before);
    alike.set(title, start);
    return start;
  }

  /** Every home is a folder of its own. */
  newHome(): NodeJS.ProcessEnv {
    this.homes += 1;
    return { ENGINE_HOME: join(this.folder, `home-${String(this.homes)}`) };
  }

  typed(
    argv: readonly string[],
    { cluster, ...scene }: Scene & { readonly cluster: KubeClient; readonly clock: Clock },
  ): Promise<Ended> {
    const connect = (): Promise<KubeClient> => Promise.resolve(cluster);
    return typed(argv, { connect, env: this.newHome(), ...scene });
  }

  private async prepare(
    objects: Start["objects"],
    before: readonly Words[],
  ): Promise<MemoryControlPlane> {
    const last = before.at(-1);
    if (last === undefined) {
      const example = (await exampleSource(names, testTime)).objects.map(this.change);
      const all = objects === undefined ? example : objects(example);
      return makeWorld({ objects: all, servers: serveAll(all) }).controlPlane;
    }
    const earlier = { before: before.slice(0, -1), ...(objects !== undefined && { objects }) };
    const start = (await this.of(earlier)).fork();
    const inner = new VirtualClock(testTime);
    const clock = playAlong({ controlPlane: start, clock: inner, names, namespace });
    const argv = [...last(this.place), "-n", namespace, "--yes", "-o", "json"];
    const cluster = start.connect({ user: admin, namespace });
    const { code, out } = await this.typed(argv, { cluster, clock });
    await clock.settle();
    if (code !== 0) throw new Error(out);
    return start;
  }
}
