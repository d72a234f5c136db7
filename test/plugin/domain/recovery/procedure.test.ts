import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import type { ApiFacts } from "../../../../plugin/domain/recovery/databases";
import { outOfLineAhead } from "../../../../plugin/domain/recovery/line";
import { type Procedure, procedureOf } from "../../../../plugin/domain/recovery/procedure";
import { anEc } from "../cluster/scene";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "./scene";

interface Scene {
  readonly ec?: KubeObject;
  readonly edbs?: readonly KubeObject[];
  readonly api?: ApiFacts;
}

const access = {
  base: "https://ec.engine.svc.cluster.local:9443",
  insecure: false,
  secret: { name: "ec", namespace: "engine" },
};

function stepsOf({ ec = aFrozenEc(), edbs = [], api }: Scene, more: Partial<Procedure> = {}) {
  const facts = frozenFacts({ edbs }, ec);
  const freeze = classifyFreeze(facts, ec, api);
  const { databases } = freeze;
  const raised = new Set(databases.map(({ label }) => label));
  const engineVersion = more.wish?.engineVersion;
  const ahead = { engineVersion, raised, modules: [] };
  return procedureOf({
    ...{ names, ec, freeze, access },
    apart: outOfLineAhead(facts, { databases, api }, ahead),
    wish: { dropDigests: false, files: [] },
    again: ["kubectl", "engine", "recover", "--apply"],
    ...more,
  });
}

const sources = (scene: Scene, more: Partial<Procedure> = {}) =>
  stepsOf(scene, more).map(({ source }) => source);
const lines = (scene: Scene, more: Partial<Procedure> = {}): readonly string[] =>
  stepsOf(scene, more).flatMap(({ commands }) =>
    commands.map((pipeline) => pipeline.map((words) => words.join(" ")).join(" | ")),
  );

const old = { edbs: [anEdb("orders", { engineVersion: "6.2" })] };

test("nothing is to be done where nothing is frozen", () => {
  expect(stepsOf({ ec: anEc() })).toEqual([]);
});

test("a database that is too old: post the version, wait for Running, then the resource", () => {
  expect(sources(old)).toEqual(["S97", "S100", "S68, S72, S98", "S99, S100", "S99, S100"]);
  const all = lines(old);
  expect(all).toContainEqual(
    expect.stringMatching(
      /-X POST .*\{"engine_version":"VERSION"\} https:.*\/v1\/bdbs\/1\/upgrade$/,
    ),
  );
  expect(all).toContain(
    'kubectl patch engineenterprisedatabases.app.engine.com orders -n engine --type=merge -p {"spec":{"engineVersion":"VERSION"}}',
  );
});

test("what was given stands in it", () => {
  const wish = { engineVersion: "7.2", dropDigests: false, files: ["my module.zip"] };
  const api = anApi({ databases: [{ ...aBdb(), modules: [{ name: "rg", version: "1" }] }] });
  const trusted = { ...access, ca: "ca.pem", connectTo: "127.0.0.1:9443" };
  const forward = { pod: "ec-0", port: "9443" };
  const all = lines({ edbs: [anEdb("orders")], api }, { wish, access: { ...trusted, forward } });
  expect(all).toContain("kubectl port-forward pod/ec-0 9443 -n engine");
  expect(all).toContainEqual(
    expect.stringContaining(
      "--cacert ca.pem --connect-to ::127.0.0.1:9443 -X POST -F module=@my module.zip",
    ),
  );
  const raised = lines(old, { wish });
  expect(raised).toContainEqual(expect.stringContaining('{"engine_version":"7.2"}'));
  expect(raised).toContainEqual(
    expect.stringContaining('orders -n engine --type=merge -p {"spec":{"engineVersion":"7.2"}}'),
  );
});

test("blanks stand for what is to be chosen", () => {
  const api = anApi({ databases: [{ ...aBdb(), modules: [{ name: "rg", version: "1" }] }] });
  const all = lines({ edbs: [anEdb("orders")], api });
  expect(all).toContainEqual(expect.stringContaining("--cacert CA_FILE -X POST -F module=@FILE"));
  expect(stepsOf({ edbs: [anEdb("orders")], api }).map(({ says }) => says)).toContain(
    "update the resources to match, so that the operator does not undo it; the version numbers in its list of rg of EngineEnterpriseDatabase/engine/orders too",
  );
  const insecure = lines(
    { edbs: [anEdb("orders")], api },
    { access: { ...access, insecure: true } },
  );
  expect(insecure).toContainEqual(expect.stringContaining("--fail-with-body --insecure -X POST"));
});

test("a license is put in first, from a file", () => {
  const ec = aFrozenEc({ state: "InvalidUpgrade", licenseStatus: { licenseState: "Expired" } });
  expect(sources({ ec })).toEqual(["S97", "S114, S125", "S68, S72, S98", "S99, S100"]);
  expect(lines({ ec })).toContainEqual(
    expect.stringMatching(/-X PUT .*--data @LICENSE_FILE .*\/v1\/license$/),
  );
});

test("digests are dropped by one patch of the EC", () => {
  const digestHash = "sha256:ab";
  const ec = aFrozenEc(
    { state: "InvalidUpgrade" },
    {
      engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash },
      bootstrapperImageSpec: { digestHash },
      autoUpgradeEngineEnterprise: true,
    },
  );
  expect(lines({ ec })).toContain(
    'kubectl patch engineenterpriseclusters.app.engine.com ec -n engine --type=merge -p {"spec":{"engineEnterpriseImageSpec":{"digestHash":null},"bootstrapperImageSpec":{"digestHash":null}}}',
  );
});

test("resources that are apart are brought in line, also when the EC is Running again", () => {
  const edbs = [
    anEdb("orders", {
      engineVersion: "6.2",
      modulesList: [{ name: "rg", version: "0" }],
    }),
  ];
  const api = anApi({ databases: [aBdb({ version: "7.2.4" })], modules: [aModule("rg")] });
  expect(lines({ ec: anEc(), edbs, api })).toContain(
    'kubectl patch engineenterprisedatabases.app.engine.com orders -n engine --type=merge -p {"spec":{"engineVersion":"7.2","modulesList":[{"name":"rg","version":"1.0.0"}]}}',
  );
});

test.each<[string, KubeObject | undefined]>([
  ["without a resource", undefined],
  ["with a channel", anEdb("orders", { engineVersion: "major" }, { version: "6.2.1" })],
  ["without a version in it", anEdb("orders", { engineVersion: undefined }, { version: "6.2.1" })],
])("a database %s needs no edit", (_title, edb) => {
  const api = anApi({ databases: [aBdb({ version: "6.2.1" })] });
  const scene = { edbs: edb === undefined ? [] : [edb], api };
  expect(sources(scene)).toEqual(["S97", "S100", "S68, S72, S98", "S99, S100"]);
});

test("nor does an instance, which goes with its active-active database", () => {
  const edb = anEdb("orders", { engineVersion: "6.2" }, { activeActive: { name: "carts" } });
  expect(lines({ edbs: [edb] }).join("\n")).not.toContain("kubectl patch");
});

test("a number that nobody knows is left to be filled in", () => {
  const edbs = [anEdb("orders", { engineVersion: "6.2" }, { databaseUID: undefined })];
  expect(lines({ edbs })).toContainEqual(expect.stringContaining("/v1/bdbs/UID/upgrade"));
});

test("no command holds credentials: they go from the Secret to curl's standard input", () => {
  const rest = lines(old).filter((line) => line.includes("curl"));
  expect(rest.length).toBeGreaterThan(0);
  for (const line of rest) {
    expect(line).toMatch(
      /^kubectl get secret ec -n engine --output=go-template=.* \| curl --config - /,
    );
    expect(line).not.toContain("--user");
  }
});
