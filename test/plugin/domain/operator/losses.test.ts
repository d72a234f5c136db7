import { factKeys, type FactKey, type Facts } from "../../../../plugin/domain/facts";
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { lossesOf } from "../../../../plugin/domain/operator/definitions";

const { group, edb } = names;

const aDatabase = (name: string, spec: object, version = "v1"): KubeObject => ({
  apiVersion: `${group}/${version}`,
  kind: edb.kind,
  metadata: { name, namespace: "a" },
  spec,
});

interface Given {
  readonly databases?: readonly KubeObject[];
  readonly unread?: true;
  readonly unserved?: true;
}

const read = ({ databases = [], unread, unserved }: Given): Facts => ({
  names,
  now: 0,
  namespace: "engine",
  apiServer: undefined,
  objects: Object.fromEntries(
    factKeys.map((key) => [key, key === "edbs" ? databases : []]),
  ) as unknown as Record<FactKey, readonly KubeObject[]>,
  unserved: new Set(unserved === true ? (["edbs"] as const) : []),
  unread: new Map(unread === true ? ([["edbs", "forbidden"]] as const) : []),
});

const database = `${edb.plural}.${group}`;
const unknown = "whether objects hold something there, which would be dropped, is not known";
const dropped = "something there: it is dropped";

const v1Tier = ["v1.spec.tier"];

const rows: readonly (Given & {
  readonly what: string;
  /** Name of the definition. */
  readonly of?: string;
  readonly loses: readonly string[];
  readonly says?: string;
})[] = [
  { what: "no object of the kind", loses: v1Tier },
  { what: "an object without the field", databases: [aDatabase("x", { t: 1 })], loses: v1Tier },
  {
    what: "an object with the field",
    databases: [aDatabase("x", { tier: "gold" }), aDatabase("y", {})],
    loses: v1Tier,
    says: `v1.spec.tier, and ${edb.kind}/a/x holds ${dropped}`,
  },
  {
    what: "objects with the field in a list and in a map",
    databases: [
      aDatabase("x", { all: [{ b: 1 }, { tier: 1 }] }),
      aDatabase("y", { all: { any: { tier: 1 } } }),
    ],
    loses: ["v1.spec.all[].tier"],
    says: `v1.spec.all[].tier, and ${edb.kind}/a/x, ${edb.kind}/a/y hold ${dropped}`,
  },
  {
    what: "a field of the status alone",
    databases: [{ ...aDatabase("x", {}), status: { tier: 1 } }],
    loses: ["v1.status.tier"],
  },
  {
    what: "a field that another version than the one that is read has",
    databases: [aDatabase("x", {}, "v2")],
    loses: v1Tier,
    says: `v1.spec.tier: ${unknown}`,
  },
  {
    what: "a field of both versions, one of them read",
    databases: [aDatabase("x", {}, "v2")],
    loses: ["v1.spec.tier", "v2.spec.tier"],
  },
  {
    what: "objects that may not be read",
    unread: true,
    loses: v1Tier,
    says: `v1.spec.tier: ${unknown}`,
  },
  {
    what: "objects of a version that is not served",
    unserved: true,
    loses: v1Tier,
    says: `v1.spec.tier: ${unknown}`,
  },
  {
    what: "another kind",
    of: `others.${group}`,
    loses: v1Tier,
    says: `v1.spec.tier: ${unknown}`,
  },
  { what: "a version", loses: ["version v0", "v1.spec.tier"], says: "version v0" },
];

test.each(rows)("$what", ({ of = database, loses, says, ...given }) => {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: of },
  };
  expect(lossesOf(loses, definition, read(given))).toBe(
    says === undefined ? undefined : `the release's definition lacks ${says}`,
  );
});
