import { defaultNames } from "../../../plugin/domain/names/names";
import { parseDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import { exampleRelease, exampleSource } from "../../../plugin/simulator/example";
import { createRegistry } from "../../../plugin/simulator/kinds/registry";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import { testTime } from "../../support/manual-clock";
import { makeWorld } from "../../support/world";

let objects: readonly KubeObject[] = [];
beforeAll(async () => {
  ({ objects } = await exampleSource(defaultNames, testTime));
});

const ofKind = (kind: string): readonly string[] =>
  objects
    .filter((object) => object.kind === kind)
    .map(({ metadata: { namespace, name = "" } }) =>
      namespace === undefined ? name : `${namespace}/${name}`,
    );

test("it has what an upgrade meets: databases in three namespaces, and leftovers", () => {
  expect(ofKind("Namespace")).toEqual(["engine", "shop", "reports", "archive"]);
  expect(ofKind("EngineEnterpriseCluster")).toEqual(["engine/ec"]);
  expect(ofKind("EngineEnterpriseDatabase")).toEqual([
    ...["engine/config", "shop/orders", "shop/sessions", "reports/totals"],
    "engine/carts-db",
  ]);
  expect(ofKind("EngineEnterpriseActiveActiveDatabase")).toEqual(["engine/carts"]);
  expect(ofKind("ValidatingWebhookConfiguration")).toEqual(["edb-admission"]);
  expect(ofKind("SecurityContextConstraints")).toEqual(["engine-enterprise-scc"]);
  expect(ofKind("Role")).toContain("archive/edb-role");
});

test("every object of it is served, valid, and complete as an API server would store it", () => {
  const registry = createRegistry();
  for (const object of objects.filter(({ kind }) => kind === "CustomResourceDefinition")) {
    registry.define(object.metadata.name ?? "", object);
  }
  const changed = objects.flatMap((object) => {
    const definition = registry.byKind(object.apiVersion, object.kind);
    if (definition === undefined) return [`${object.kind} is not served`];
    const { warnings, object: stored } = definition.prepare(object, undefined);
    const spec = JSON.stringify(stored["spec"]) === JSON.stringify(object["spec"]);
    return definition.custom && !spec ? [`${object.kind} was pruned`] : warnings;
  });
  expect(changed).toEqual([]);
  expect(() => makeWorld({ objects }).controlPlane).not.toThrow();
});

test("every object of its bundles is served, valid, and without a field that its kind does not know", () => {
  const { bundle, openshiftBundle } = defaultNames.release;
  const release = exampleRelease(defaultNames);
  const written = [bundle, openshiftBundle].flatMap((paths) => {
    const { text = "", source = "" } = release.file(paths) ?? {};
    return parseDocuments(text, source) as readonly KubeObject[];
  });
  const registry = createRegistry();
  const warned = written.flatMap((object) => {
    const placed = { ...object, metadata: { ...object.metadata, namespace: "engine" } };
    const definition = registry.byKind(object.apiVersion, object.kind);
    const stored = definition?.namespaced === true ? placed : object;
    return definition?.prepare(stored, undefined).warnings ?? [`${object.kind} is not served`];
  });
  expect(written.map(({ kind }) => kind)).toContain("Deployment");
  expect(warned).toEqual([]);
});

test("the certificate in force is that of the Secret, and the pair is handed over for serving", async () => {
  const { pairs, namespace } = await exampleSource(defaultNames, testTime);
  expect(namespace).toBe("engine");
  expect(pairs).toMatchObject([{ namespace: "engine" }]);
  expect(pairs[0]?.cert).toContain("BEGIN CERTIFICATE");
});

test("other names go through all of it", async () => {
  const names = {
    ...defaultNames,
    group: "db.example.org",
    edb: { ...defaultNames.edb, kind: "AcmeDatabase", plural: "acmedatabases" },
  };
  const renamed = await exampleSource(names, testTime);
  const text = JSON.stringify(renamed.objects);
  expect(text).not.toContain("app.engine.com");
  expect(text).not.toContain('EngineEnterpriseDatabase"');
  expect(text).toContain('"name":"acmedatabases.db.example.org"');
  expect(() => makeWorld({ objects: renamed.objects }).controlPlane).not.toThrow();
});
