/** Every scene of the tables as facts: single changes of a healthy cluster, and rollouts that have come to a stand. */
import fc from "fast-check";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { CheckTarget } from "../../../../plugin/domain/checks/context";
import { testTime } from "../../../support/manual-clock";
import { aPair, type PairParts } from "../../../support/tls";
import { double, single } from "../standstill/causes";
import { fieldDouble, fieldSingle } from "../standstill/field-causes";
import { heldSingle } from "../standstill/held-causes";
import { moreDouble, moreSingle } from "../standstill/more-causes";
import { reportedSingle } from "../standstill/reported-causes";
import { reportedDouble } from "../standstill/reported-pairs";
import type { Change, Rows } from "./row";
import { certificateRows, rbacRows, sccRows, webhookRows } from "./rows-access";
import {
  activeActiveRows,
  clusterRows,
  databaseRows,
  licenceRows,
  moduleRows,
  restRows,
} from "./rows-cluster";
import { definitionRows, operatorRows, platformRows, releaseRows } from "./rows-operator";
import { fitWorld, openShiftWorld, type World } from "./world";

const day = 24 * 3_600_000;
const at = (days: number): Date => new Date(testTime + days * day);
const pair = (parts: PairParts): readonly [string, string] => {
  const names = ["admission.engine.svc"];
  const { certPem, keyPem } = aPair({ names, notBefore: at(-10), notAfter: at(400), ...parts });
  return [certPem, keyPem];
};

/** The single changes, by the golden file that has what checks find of them. */
export const areas: Readonly<Record<string, () => Rows>> = {
  operator: () => ({ ...platformRows, ...operatorRows }),
  release: () => ({ ...releaseRows, ...definitionRows }),
  cluster: () => ({ ...clusterRows, ...licenceRows, ...restRows }),
  databases: () => ({ ...databaseRows, ...moduleRows, ...activeActiveRows }),
  webhook: () => ({
    ...webhookRows,
    ...certificateRows({
      // of another length than the pair of the world, so that it is never the same key
      elsewhere: pair({ names: ["admission.elsewhere.svc"], bits: 3072 }),
      expired: pair({ notAfter: at(-1) }),
      early: pair({ notBefore: at(1) }),
      soon: pair({ notAfter: at(7) }),
      weak: pair({ bits: 1024 }),
    }),
  }),
  access: () => ({ ...rbacRows, ...sccRows }),
};

/** A healthy world, of OpenShift where a change asks for one. */
export const worldOf = (openshift: true | undefined): Promise<World> =>
  openshift === true ? openShiftWorld() : fitWorld();

/** Every single change; the keys of the certificates are made once. */
let changes: readonly (readonly [string, Change])[] | undefined;
const listChanges = () =>
  (changes ??= Object.values(areas).flatMap((rows) => Object.entries(rows())));

/** One state of a cluster. */
export interface Scene {
  readonly title: string;
  readonly facts: Facts;
  readonly target: CheckTarget;
}

/** States with several things wrong at once, each time the same ones. */
export async function generatedScenes(count: number): Promise<readonly Scene[]> {
  const rows = listChanges();
  const some = fc.shuffledSubarray([...rows], { minLength: 2, maxLength: 4 });
  const scenes: Scene[] = [];
  for (const chosen of fc.sample(some, { numRuns: count, seed: 1 })) {
    const openshift = chosen.some(([, change]) => change.openshift === true);
    const world = await worldOf(openshift || undefined);
    const done: string[] = [];
    for (const [title, change] of chosen) {
      // what one change removes, another one cannot change any more
      const before = structuredClone(world.objects);
      try {
        await change(world);
        done.push(title);
      } catch {
        world.objects.splice(0, world.objects.length, ...before);
      }
    }
    scenes.push({ title: done.join(" + "), facts: await world.facts(), target: world.target });
  }
  return scenes;
}

/** Every state. */
export async function everyScene(): Promise<readonly Scene[]> {
  const changed: Scene[] = [];
  for (const [title, change] of listChanges()) {
    const world = await worldOf(change.openshift);
    await change(world);
    changed.push({ title, facts: await world.facts(), target: world.target });
  }
  const stalled = [
    ...[...single, ...moreSingle, ...fieldSingle, ...heldSingle, ...reportedSingle],
    ...[...double, ...moreDouble, ...fieldDouble, ...reportedDouble],
  ].map(([title, facts]) => ({ title, facts, target: {} }));
  return [...changed, ...stalled];
}
