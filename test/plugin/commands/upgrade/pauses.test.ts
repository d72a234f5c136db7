/** What a run would stop at is told in its plan (S51, S56, S124). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments, renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { asArray, getPath, type Json, withValue } from "../../../../plugin/domain/base/values";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Report } from "../../../../plugin/kernel/report";
import { aPlayedWorld, type PlayedWorld } from "../../../support/played-operator";
import { type Ended, typed } from "../../../support/program-world";
import { writeRelease } from "../../../support/releases/tree";
import { folder, upgrade } from "../../../support/upgrade-runs";
import { exampleOnce } from "../../../support/world";

const ofSpec = ["schema", "openAPIV3Schema", "properties", "spec", "properties"];

function isDefinition({ kind, metadata }: KubeObject): boolean {
  return kind === kinds.definition.kind && metadata.name === `${names.ec.plural}.${names.group}`;
}

/** The definition of the EC with that schema of user-defined modules in every version; without one, none. */
function withList(definition: KubeObject, list?: unknown): KubeObject {
  const path = [...ofSpec, ...names.fields.userDefinedModules.slice(1)];
  const versions = asArray(getPath(definition, ["spec", "versions"])).map((version) =>
    withValue(version as Json, path, list),
  );
  return withValue(definition, ["spec", "versions"], versions) as KubeObject;
}

interface ModulesScene {
  readonly world: PlayedWorld;
  /** The words of the upgrade to a release whose definition has the list. */
  readonly words: readonly string[];
}

/** A database uses an installed module of a user's own, and the definition has no list to define it in. */
async function modulesScene(auto = false): Promise<ModulesScene> {
  const { objects } = await exampleOnce();
  const [version] = objects
    .filter(isDefinition)
    .flatMap((one) => asArray(getPath(one, ["spec", "versions"])));
  const list = getPath(version, [...ofSpec, ...names.fields.userDefinedModules.slice(1)]);
  const release = writeRelease(join(folder, "with-modules"), "7.22.0-7");
  for (const name of ["bundle.yaml", "openshift.bundle.yaml"]) {
    const file = join(release, name);
    const bundle = parseDocuments(readFileSync(file, "utf8"), file) as readonly KubeObject[];
    const changed = bundle.map((one) => (isDefinition(one) ? withList(one, list) : one));
    writeFileSync(file, renderDocuments(changed));
  }
  // an active-active database needs a later operator (S127)
  const fit = objects.filter(({ kind }) => kind !== names.eaadb.kind);
  const world = await aPlayedWorld({ objects: fit.map((one) => usingModules(one, auto)) });
  return { world, words: ["--release", release] };
}

function usingModules(object: KubeObject, auto: boolean): KubeObject {
  const { statusModules } = names.fields;
  if (isDefinition(object)) return withList(object);
  if (object.kind === names.ec.kind) {
    const gears = { name: "rg", displayName: "EngineGears", versions: ["1.2.5"] };
    const known = asArray(getPath(object, statusModules));
    const own = withValue(object, statusModules, [...known, gears]);
    const path = names.ecFields.autoUpgrade;
    return (auto ? withValue(own, path, true) : own) as KubeObject;
  }
  if (object.kind !== names.edb.kind || object.metadata.name !== "config") return object;
  return withValue(object, ["spec", "modulesList"], [{ name: "rg" }]) as KubeObject;
}

async function type({ cluster, clock }: PlayedWorld, line: string, as = "json"): Promise<Ended> {
  return await typed([...line.split(" "), "-n", "engine", "-o", as], {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home") },
  });
}

function findingsIn({ out }: Pick<Ended, "out">): Report["findings"] {
  return (JSON.parse(out) as Report).findings;
}

const define = "modules define rg --source rg=URL --ec ec";
const stops =
  "EngineEnterpriseCluster/engine/ec: module rg of EngineEnterpriseDatabase/engine/config is installed but not defined in the EC";

describe("a module that only the new definition has a place for", () => {
  test("is a pause in the plan, at which the run then stops and from which the same upgrade continues", async () => {
    const { world, words } = await modulesScene();
    const planned = await upgrade(world, ["--dry-run=server", ...words]);
    expect(planned.report.exit).toMatchObject({
      code: 6,
      next: `kubectl engine ${define} -n engine; then run the same upgrade again: it continues from there`,
    });
    expect(planned.report.exit.reason).toContain(
      `Upgrade the cluster: stops here, as planned: ${stops}`,
    );
    const { parts } = (planned.report.details as { plan: { parts: readonly object[] } }).plan;
    expect(parts).toMatchObject([
      ...[{}, {}, {}, {}],
      { id: "cluster", pauses: { because: stops, type: `kubectl engine ${define} -n engine` } },
      ...["scc", "rbac-contract", "databases"].map((id) => ({ id, later: true })),
    ]);

    const ran = await upgrade(world, ["--yes", ...words]);
    expect(ran.report.exit).toMatchObject({ code: 6, next: planned.report.exit.next });
    const subjects = (planned.report.steps ?? []).map(({ object }) => object);
    expect(subjects).not.toContain("EngineEnterpriseCluster/engine/ec");
    expect(ran.writes.filter((write) => write.includes(names.ec.kind))).toEqual([]);
    expect(ran.writes.some((write) => write.startsWith("apply Deployment"))).toBe(true);

    const url = "https://modules.example/rg.zip";
    expect((await type(world, `${define.replace("URL", url)} --yes`)).code).toBe(0);
    const then = await upgrade(world, ["--yes", ...words]);
    expect([then.report.exit.code, then.writes]).toEqual([0, [`patch ${names.ec.kind} engine/ec`]]);
  });

  test("is told in the text, with the command to type", async () => {
    const { world, words } = await modulesScene();
    const line = ["upgrade", "--no-probe", "--dry-run=client", ...words].join(" ");
    const { out } = await type(world, line, "text");
    expect(out).toContain(`  stops here: ${stops}`);
    expect(out).toContain(`  type: kubectl engine ${define} -n engine; then run the same upgrade`);
    expect(out).toMatch(/6\. .*: left to the next run of the same upgrade/);
  });
});

describe("an automatic upgrade beside modules of one's own has one verdict (S51)", () => {
  const code = "CLUSTER-AUTO-USER-MODULES";

  test("asked for: 3 before the first write, also where it is on already", async () => {
    for (const auto of [false, true]) {
      const { world, words } = await modulesScene(auto);
      const whole = await upgrade(world, ["--auto", "--yes", ...words]);
      expect([whole.report.exit.code, whole.writes]).toEqual([3, []]);
      const alone = await type(world, "upgrade-cluster ec --auto --yes");
      expect(alone.code).toBe(3);
      for (const ended of [whole, alone])
        expect(findingsIn(ended)).toContainEqual(expect.objectContaining({ code }));
    }
  });

  test("left over in the EC: a warning of check, since upgrade switches it off; upgrade-operator alone asks for that patch", async () => {
    const { world } = await modulesScene(true);
    const check = await type(world, "check --target 7.22.0-7 --no-probe");
    const patch = '{"spec":{"upgradeSpec":{"autoUpgradeEngineEnterprise":false}}}';
    const line = `kubectl patch engineenterpriseclusters.app.engine.com ec -n engine --type=merge -p '${patch}'`;
    expect(check.code).toBe(0);
    const found = findingsIn(check)?.find((one) => one.code === code);
    expect(found).toMatchObject({ severity: "warning", command: line });
    expect(found?.fix).toContain(line);
    const { words } = await modulesScene(true);
    const alone = await type(world, `upgrade-operator ${words.join(" ")} --yes`);
    expect(alone.code).toBe(3);
    expect((JSON.parse(alone.out) as Report).exit.next).toContain(line);
    await world.cluster.patch(
      {
        resource: {
          group: names.group,
          version: names.version,
          plural: names.ec.plural,
          kind: names.ec.kind,
        },
        name: "ec",
        namespace: "engine",
      },
      JSON.parse(patch) as Json,
      { type: "merge" },
    );
    expect((await type(world, `upgrade-operator ${words.join(" ")} --yes`)).code).toBe(0);
  });
});
