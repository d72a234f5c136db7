/** The command that `status` prints as next, typed as it is printed: it is gone after it ran, and never ends with 5. */
import { withValue } from "../../../../plugin/domain/base/values";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { walkNext } from "../../../support/next-walk";
import { aPlayedWorld } from "../../../support/played-operator";
import {
  chosenBy,
  describeWishes,
  obstacles,
  type Wish,
  wishes,
  worldOf,
} from "../../../support/upgrade-worlds";

function heldOperator(owner: string, label: string, annotations = {}): Wish {
  return {
    name: `an operator of ${owner}`,
    change: (object: KubeObject) =>
      object.kind === "Deployment" && object.metadata.name === names.operator.deployment
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              labels: { ...object.metadata.labels, [label]: owner },
              annotations: { ...object.metadata.annotations, ...annotations },
            },
          }
        : object,
  };
}

const kept: Wish = {
  name: "databases that keep their data",
  change: (object) => {
    if (object.kind === names.eaadb.kind) return undefined;
    if (object.kind !== names.edb.kind) return object;
    return withValue(object, ["spec", "replication"], true) as KubeObject;
  },
};
const heldOperators = [
  heldOperator("Helm", "app.kubernetes.io/managed-by", { "meta.helm.sh/release-name": "engine" }),
  heldOperator("Flux", "kustomize.toolkit.fluxcd.io/name"),
];

const single = [...wishes, ...obstacles, ...heldOperators].filter(
  ({ change, more }) => change !== undefined || more !== undefined,
);
const worlds = [...single.map((one) => [one]), ...[2, 3, 4, 6, 7, 9, 10].map(chosenBy)];

test.each(worlds.map((chosen) => [describeWishes(chosen), chosen] as const))(
  "no line comes back: %s",
  async (_, chosen) => {
    const { objects } = await worldOf(chosen);
    const { wrong } = await walkNext(await aPlayedWorld({ objects }));
    expect(wrong).toEqual([]);
  },
);

/** The commands that are typed, without their flags. */
async function listTyped(chosen: readonly Wish[]): Promise<readonly string[]> {
  const { objects } = await worldOf(chosen);
  const { lines } = await walkNext(await aPlayedWorld({ objects }));
  return lines.flatMap((line) => /kubectl engine (\S+)/.exec(line)?.[1] ?? []);
}

const whole = [
  ...["upgrade-operator", "reapply-rbac", "upgrade-webhook", "upgrade-cluster", "reapply-rbac"],
];

test.each<readonly [string, readonly string[]]>([
  ["databases that keep their data", [...whole, "upgrade-database"]],
  // which of them may lose their data is for a person to say
  ["no active-active database", whole],
  // where a person has to vouch, or somebody else writes it, there is nothing to type
  ["registry", whole],
  ["an EC of Helm", whole.slice(0, 3)],
  ["a role of Helm", whole.slice(0, 1)],
  ["an operator of Helm", []],
  ["an operator of Flux", []],
  [
    "no tag",
    ["upgrade-operator", "reapply-rbac", "upgrade-webhook", "upgrade-cluster", "reapply-rbac"],
  ],
  // without them the new operator would stop
  [
    "no bindings",
    ["reapply-rbac", "upgrade-operator", "upgrade-webhook", "upgrade-cluster", "reapply-rbac"],
  ],
])("what is typed from the old release on: %s", async (name, wanted) => {
  const chosen = [...wishes, ...obstacles, ...heldOperators, kept].filter(
    (one) => one.name === name,
  );
  expect(await listTyped(chosen)).toEqual(wanted);
});
