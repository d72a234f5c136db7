/** Entries that people added to the new configuration, and an old one that was moved into it. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../../plugin/domain/kube/models";
import { ofKind } from "../../../../plugin/domain/kube/typed";
import {
  listEntries,
  entryNames,
  findEntry,
} from "../../../../plugin/domain/admission/configuration";
import { asArray, getPath } from "../../../../plugin/domain/base/values";
import { aNewConfiguration, testCa } from "../../../support/builders";
import { applyNew, aSwap, healthy, newName, oldName, Scene, stepsOf } from "./scene";

const { edb, eaadb, erc, webhook, group, version } = defaultNames;
const kind = "ValidatingWebhookConfiguration";
const patchNew = `patch ${kind}/${newName}`;
const [own = {}] = listEntries(aNewConfiguration());
const [staleOwn = {}] = listEntries(aNewConfiguration({ caBundle: "eA==" }));

interface Further {
  readonly caBundle?: string;
  readonly service?: { readonly name?: string; readonly namespace?: string };
  readonly plurals?: readonly string[];
  readonly more?: ValidatingWebhook;
}

function further(name: string, { caBundle = testCa, service, plurals, more }: Further = {}) {
  const rule = { apiGroups: [group], apiVersions: [version], operations: ["CREATE", "UPDATE"] };
  return {
    ...own,
    name,
    timeoutSeconds: 7,
    failurePolicy: "Fail",
    clientConfig: {
      service: { name: webhook.service, namespace: "engine", path: webhook.path, ...service },
      caBundle,
    },
    rules: [{ ...rule, resources: plurals ?? [eaadb.plural] }],
    ...more,
  };
}

function sceneOf(entries: readonly ValidatingWebhook[], manager?: string): Scene {
  const scene = new Scene();
  const object: ValidatingWebhookConfiguration = { ...aNewConfiguration(), webhooks: entries };
  scene.world.put(object, manager);
  return scene;
}

const namesIn = (scene: Scene): readonly string[] =>
  listEntries(scene.live()).map(({ name }) => String(name));
const caOf = (scene: Scene, name: string): unknown =>
  findEntry(scene.live(), name)?.clientConfig?.caBundle;
const withoutCa = (scene: Scene, name: string): unknown => {
  const { clientConfig, ...rest } = findEntry(scene.live(), name) ?? {};
  return { ...rest, service: clientConfig?.service };
};
const stale = "eA==";

test("the certificate was renewed: every entry for the Service gets it in one apply, and nothing else of them changes", async () => {
  const elsewhere = further("a.vendor.example", { service: { name: "vendor" }, caBundle: stale });
  const byUrl = { ...further("b.vendor.example"), clientConfig: { url: "https://x.example" } };
  const entries = [
    further("active.shop.example", { caBundle: stale }),
    staleOwn,
    further("stores.shop.example", { caBundle: "", plurals: [edb.plural] }),
    { ...elsewhere, failurePolicy: "Ignore" },
    { ...byUrl, failurePolicy: "Ignore" },
  ];
  const scene = sceneOf(entries);
  const before = ["active.shop.example", "stores.shop.example"].map((name) =>
    withoutCa(scene, name),
  );
  const foreign = ["a.vendor.example", "b.vendor.example"];
  const untouched = foreign.map((name) => findEntry(scene.live(), name));
  const report = await scene.run();
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
  const all = ["active.shop.example", webhook.entry, "stores.shop.example"];
  expect(all.map((name) => caOf(scene, name))).toEqual([testCa, testCa, testCa]);
  const after = ["active.shop.example", "stores.shop.example"].map((name) =>
    withoutCa(scene, name),
  );
  expect(after).toEqual(before);
  expect(foreign.map((name) => findEntry(scene.live(), name))).toEqual(untouched);
  expect(report.gap).toMatchObject({ bypassSeconds: 0 });
  // and again: nothing is left to write
  const again = await scene.run();
  expect([again.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
});

test("of a person's entry the apply owns the CA alone", async () => {
  const scene = sceneOf([own, further("active.shop.example", { caBundle: stale })]);
  await scene.run();
  const [sent] = scene.cluster.writes;
  expect(asArray(getPath(sent?.object, ["webhooks"]))[1]).toEqual({
    name: "active.shop.example",
    clientConfig: { caBundle: testCa },
  });
});

test("an entry whose CA another manager keeps is a conflict: 5, with the field, nothing written", async () => {
  const scene = sceneOf([own, further("active.shop.example", { caBundle: stale })], "fleet-agent");
  const report = await scene.run();
  expect([report.exit.code, scene.cluster.written]).toEqual([5, []]);
  expect(report.findings?.[0]).toMatchObject({
    code: "FIELD-CONFLICT",
    field: `.webhooks[name="active.shop.example"].clientConfig.caBundle`,
  });
});

describe("an entry under the old one's name in the new configuration", () => {
  const old = (changes: Further = {}) =>
    further(webhook.oldEntry, { plurals: [edb.plural], ...changes });

  test.each<[string, readonly ValidatingWebhook[], readonly string[]]>([
    ["beside a right new one", [old(), own], [patchNew]],
    ["without the new one", [old(), further("active.shop.example")], [applyNew, patchNew]],
    ["its CA stale like all others", [old({ caBundle: stale }), staleOwn], [applyNew, patchNew]],
    [
      "its Service gone: it goes before what it hides is proven",
      [old({ service: { name: "gone" } }), own],
      [patchNew],
    ],
  ])("%s: it is taken out once the new one is proven", async (_title, entries, writes) => {
    const scene = sceneOf(entries);
    const report = await scene.run();
    expect([report.exit.code, scene.cluster.written]).toEqual([0, writes]);
    expect(namesIn(scene)).toContain(webhook.entry);
    expect(namesIn(scene)).not.toContain(webhook.oldEntry);
    expect(scene.saved.map(({ metadata }) => metadata.name)).toContain(newName);
    expect(ofKind(scene.saved, kind).flatMap(entryNames)).toContain(webhook.oldEntry);
    expect(scene.questions[0]).toContain(`take ${webhook.oldEntry} out of ${kind}/${newName}`);
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual(writes);
  });

  test("and the old configuration too: both go", async () => {
    const scene = new Scene({ old: true });
    scene.world.put({ ...aNewConfiguration(), webhooks: [own, old()] });
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([patchNew, `delete ${kind}/${oldName}`]);
  });

  test("a dry run plans it, and writes nothing", async () => {
    const scene = sceneOf([old(), own]);
    const report = await scene.run({ dryRun: "server" });
    expect([report.exit.code, scene.cluster.written]).toEqual([0, []]);
    expect(stepsOf(report)).toContain("webhook.take-out-old: planned");
  });

  test("the last proof does not come: it is put back as it was, with the entries beside it", async () => {
    const remote = further("r.shop.example", { caBundle: stale, plurals: [erc.plural] });
    const scene = sceneOf([old(), staleOwn, remote]);
    const before = listEntries(scene.live());
    scene.afterCall(
      ({ verb, dryRun }) => verb === "patch" && !dryRun,
      () => scene.world.servers.set("engine/admission", { ...healthy, judge: () => undefined }),
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, patchNew, patchNew]);
    expect(listEntries(scene.live())).toEqual(before);
  });

  test("someone changes the configuration before it is taken out: 5, nobody's change is lost", async () => {
    const scene = sceneOf([old(), own]);
    scene.onCall(
      ({ verb, dryRun }) => verb === "patch" && !dryRun,
      () => scene.world.put({ ...aNewConfiguration(), webhooks: [own, old(), further("x.y.z")] }),
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(namesIn(scene)).toEqual([webhook.entry, webhook.oldEntry, "x.y.z"]);
  });

  test("the permission to patch is asked for", async () => {
    const scene = sceneOf([old(), own]);
    scene.world.lacks = ({ verb, resource }) =>
      verb === "patch" && resource === "validatingwebhookconfigurations";
    expect([(await scene.run()).exit.code, scene.cluster.written]).toEqual([4, []]);
  });
});

describe("the proof covers each kind that an entry matches", () => {
  const template: ValidatingWebhookConfiguration = {
    ...aSwap().template,
    webhooks: [{ ...listEntries(aSwap().template)[0], ...ruleFor(edb.plural) }],
  };

  test.each<[string, ValidatingWebhook, boolean]>([
    ["in the operator's namespace", {}, false],
    ["in one that its selector names", { namespaceSelector: { matchLabels: { shop: "1" } } }, true],
  ])(
    "%s: a kind that only a person's entry matches is tried as well",
    async (_title, more, elsewhere) => {
      const wrong = further("remote.shop.example", {
        plurals: [erc.plural],
        more,
        caBundle: stale,
      });
      const scene = sceneOf([{ ...own, ...ruleFor(edb.plural) }, wrong]);
      scene.world.put({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "shop", labels: { shop: "1" } },
      });
      expect((await scene.run({ template })).exit.code).toBe(0);
      const sent = scene.cluster.calls.filter(
        ({ verb, target, dryRun }) => verb === "create" && dryRun && target.startsWith(erc.kind),
      );
      const places = new Set(sent.map(({ target }) => target.split("/")[1]));
      expect([...places]).toEqual([elsewhere ? "shop" : "engine"]);
    },
  );

  test("an entry that goes on failing is named: 7, all as before", async () => {
    const gone = further("remote.shop.example", { plurals: [erc.plural], caBundle: stale });
    const scene = sceneOf([{ ...own, ...ruleFor(edb.plural) }, gone]);
    const failing = 'failed calling webhook "remote.shop.example": 404';
    scene.cluster.before = ({ verb, target }) => {
      if (verb !== "create" || !target.startsWith(erc.kind)) return;
      throw new ApiError(`Internal error occurred: ${failing}`, { status: 500 });
    };
    const report = await scene.run({ template });
    expect(report.exit).toMatchObject({
      code: 7,
      reason: expect.stringContaining("remote.shop.example does not answer") as string,
    });
    expect(caOf(scene, "remote.shop.example")).toBe(stale);
  });
});

function ruleFor(plural: string): object {
  const rule = { apiGroups: [group], apiVersions: [version], operations: ["CREATE", "UPDATE"] };
  return { rules: [{ ...rule, resources: [plural], scope: "*" }] };
}

test("an entry of a person's for a Service elsewhere does not make the configuration someone else's", async () => {
  const vendor = further("v.vendor.example", {
    service: { name: "vendor", namespace: "other" },
    more: { failurePolicy: "Ignore" },
  });
  const scene = sceneOf([own, vendor]);
  scene.world.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
  expect((await scene.run()).exit.code).toBe(0);
  expect(scene.cluster.written).toEqual([]);
});

test("where the whole object is replaced, a person's entries stay", async () => {
  const tuned = { ...own, matchConditions: [{ name: "all", expression: "true" }] };
  const scene = sceneOf([tuned, further("active.shop.example")]);
  const report = await scene.run({ takeTemplateSelectors: true });
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [`update ${kind}/${newName}`]]);
  expect(namesIn(scene)).toEqual([webhook.entry, "active.shop.example"]);
});
