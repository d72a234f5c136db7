/**
 * One gate: every way of an act is refused by the same rows. The ways are commands, typed over clusters that are
 * broken; what one of them alone reads (the release's files, helm, the REST API) is whole.
 */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { acts, tryWay, type Way } from "../../../jobs/refusals";
import { broken } from "../../../support/broken-worlds";
import { ownerMarks } from "../../../support/builders";
import {
  aClusterServiceVersion,
  anInstallPlan,
  anOperatorGroup,
  aSubscription,
  olmDefinitions,
} from "../../../support/olm";
import { Starts } from "../../../support/starts";
import type { Wish } from "../../../support/upgrade-worlds";
import { sampled } from "../../../support/sampled";

const ownedBy =
  (owner: keyof typeof ownerMarks) =>
  (object: KubeObject): KubeObject =>
    object.kind === kinds.deployment.kind && object.metadata.name === names.operator.deployment
      ? { ...object, metadata: { ...object.metadata, ...ownerMarks[owner] } }
      : object;

/** An operator that OLM keeps, with what it has beside it. */
const byOlm = (name: string, ...more: readonly KubeObject[]): Wish => ({
  ...{ name: `OLM: ${name}`, change: ownedBy("OLM") },
  more: [...olmDefinitions, aSubscription(), aClusterServiceVersion("7.4.2-2"), ...more],
});

const group = anOperatorGroup(["engine"]);

const scenes: readonly Wish[] = [
  ...broken,
  { name: "the operator is Argo CD's", change: ownedBy("Argo CD") },
  byOlm("its plan waits", group, anInstallPlan()),
  byOlm("its plan has failed", group, anInstallPlan({}, { phase: "Failed" })),
  byOlm("it has two groups", group, { ...group, metadata: { ...group.metadata, name: "other" } }),
];

/** Rows of what one way alone brings about. */
const ofOneWay: Readonly<Record<string, readonly string[]>> = {
  "upgrade-cluster --auto": ["CLUSTER-AUTO-USER-MODULES"],
};

const starts = new Starts();

/** The ways of one command, and the same command's ways inside of a whole upgrade. */
const commandOf = ({ name }: Way): string => String(name.split(" ")[0]);

const compared = acts.flatMap((act) => {
  const commands = [...new Set(act.ways.map(commandOf))];
  return commands
    .map((command) => ({
      act,
      command,
      ways: act.ways.filter((one) => commandOf(one) === command),
    }))
    .filter(({ ways }) => ways.length > 1);
});

describe.each(compared.map((one) => [`${one.act.name}: ${one.command}`, one] as const))(
  "%s",
  (_title, { act, ways }) => {
    test.each(sampled(scenes).map((wish) => [wish.name, wish] as const))(
      "%s",
      async (_scene, wish) => {
        const all = await Promise.all(ways.map((way) => tryWay(act, way, { starts, wish })));
        const told = all.map(({ refuses, wrote }, index) => {
          const name = String(ways[index]?.name);
          return [name, wrote, refuses.filter((code) => ofOneWay[name]?.includes(code) !== true)];
        });
        expect(told).toEqual(ways.map(({ name }) => [name, all[0]?.wrote, all[0]?.refuses]));
      },
    );
  },
);
