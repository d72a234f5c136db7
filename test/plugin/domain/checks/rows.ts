/** Every row of every area. */
import { testTime } from "../../../support/manual-clock";
import { aPair, type PairParts } from "../../../support/tls";
import type { Row } from "./row";
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

const day = 24 * 3_600_000;
const at = (days: number): Date => new Date(testTime + days * day);
const pair = (parts: PairParts): readonly [string, string] => {
  const names = ["admission.engine.svc"];
  const { certPem, keyPem } = aPair({ names, notBefore: at(-10), notAfter: at(400), ...parts });
  return [certPem, keyPem];
};

export const allRows: readonly Row[] = [
  ...platformRows,
  ...operatorRows,
  ...releaseRows,
  ...definitionRows,
  ...clusterRows,
  ...licenceRows,
  ...databaseRows,
  ...moduleRows,
  ...activeActiveRows,
  ...webhookRows,
  ...certificateRows({
    elsewhere: pair({ names: ["admission.elsewhere.svc"] }),
    expired: pair({ notAfter: at(-1) }),
    early: pair({ notBefore: at(1) }),
    soon: pair({ notAfter: at(7) }),
    weak: pair({ bits: 1024 }),
  }),
  ...rbacRows,
  ...sccRows,
  ...restRows,
];
