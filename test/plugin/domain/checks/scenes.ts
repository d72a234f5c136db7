/** Every scene of the tables as facts: single changes of a healthy cluster, and rollouts that have come to a stand. */
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
import type { Rows } from "./row";
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

/** One state of a cluster. */
export interface Scene {
  readonly title: string;
  readonly facts: Facts;
  readonly target: CheckTarget;
}

/** Every state. */
export async function everyScene(): Promise<readonly Scene[]> {
  const changed: Scene[] = [];
  for (const rows of Object.values(areas)) {
    for (const [title, change] of Object.entries(rows())) {
      const world = await worldOf(change.openshift);
      await change(world);
      changed.push({ title, facts: await world.facts(), target: world.target });
    }
  }
  const stalled = [
    ...[...single, ...moreSingle, ...fieldSingle, ...heldSingle, ...reportedSingle],
    ...[...double, ...moreDouble, ...fieldDouble, ...reportedDouble],
  ].map(([title, facts]) => ({ title, facts, target: {} }));
  return [...changed, ...stalled];
}
