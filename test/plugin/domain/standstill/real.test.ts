/**
 * Scenes of test/control-plane/standstill.test.ts as they were found there (UPDATE_SCENES=1 writes them):
 * what the real controllers and scheduler make of a standstill is judged here without them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeChecks } from "../../../../plugin/commands/checks";
import { clustersStatus } from "../../../../plugin/commands/upgrade-cluster/next";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { type Facts, factSources, type FactKey } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { toldByCheck, toldByRecover } from "./agreement";
import { factsOf } from "../engine-cluster/scene";

interface RealScene {
  readonly told: {
    readonly namespace: string;
    readonly first: string | null;
    readonly laterMinutes: number;
    readonly open: boolean;
    readonly readAt: string;
  };
  readonly items: readonly KubeObject[];
}

const folder = join(__dirname, "real");
const scenes = readdirSync(folder).map((file) => {
  const { told, items } = JSON.parse(readFileSync(join(folder, file), "utf8")) as RealScene;
  return { ...told, items };
});

function facts({ namespace, readAt, laterMinutes, items }: (typeof scenes)[number]): Facts {
  const sources = Object.entries(factSources(names)) as readonly [
    FactKey,
    { readonly resource: { readonly kind: string } },
  ][];
  const lists = sources.map(([key, { resource }]) => [
    key,
    items.filter(({ kind }) => kind === resource.kind),
  ]);
  const now = Date.parse(readAt) + laterMinutes * 60_000;
  return factsOf(Object.fromEntries(lists) as Partial<Facts["objects"]>, { namespace, now });
}

test.each(scenes.filter(({ first, open }) => first !== null && !open))(
  "$namespace: $first, by status, recover and check",
  (scene) => {
    const read = facts(scene);
    const [ec] = read.objects.ecs;
    if (ec === undefined) throw new Error("the scene has an EC");
    const freeze = classifyFreeze(read, ec);
    const checked = judgeChecks(read, {}).findings.filter(({ severity }) => severity === "error");
    expect({
      status: clustersStatus(describeSituation(read, {})).items[0]?.verdict,
      recover: freeze.causes[0]?.finding.code,
      check: checked.map(({ code }) => code),
    }).toEqual({
      status: expect.objectContaining({ is: "stalled", code: scene.first }) as unknown,
      recover: scene.first,
      check: expect.arrayContaining([scene.first]) as unknown,
    });
  },
);

test.each(scenes.filter(({ first }) => first !== null))(
  "recover and check tell the same causes: $namespace",
  (scene) => {
    const read = facts(scene);
    expect(toldByRecover(read)).toEqual(toldByCheck(read));
  },
);

test("a mistaken tag is all that is told of it: its pods wait for another one", () => {
  const scene = scenes.find(({ namespace }) => namespace === "operators-tag-and-image");
  if (scene === undefined) throw new Error("the scene is kept");
  expect(toldByRecover(facts(scene))).toEqual([
    `CLUSTER-TAG-OF-OPERATOR ${names.ec.kind}/${scene.namespace}/ec`,
  ]);
});

test.each(scenes.filter(({ first }) => first === null))("$namespace: on its way", (scene) => {
  const read = facts(scene);
  expect(clustersStatus(describeSituation(read, {})).items[0]?.verdict.is).toBe("moving");
});
