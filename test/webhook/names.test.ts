import { projectCluster } from "../../plugin/domain/rules/clusters";
import { rebrand } from "../../plugin/domain/names/rebrand";
import { parseClusters } from "../../webhook/clusters/file";
import { answerReview } from "../../webhook/review/review";
import { renamed as names } from "../support/renamed";
import { anEc, FakeClusters } from "./fake-clusters";
import { anEdb, aReview, bytesOf, options } from "./reviews";

/** As the API server sends it where everything has another name. */
function aRenamedUpdate(before: object, after: object) {
  const { group, version, edb } = names;
  return {
    uid: "uid-1",
    kind: { group, version, kind: edb.kind },
    resource: { group, version, resource: edb.plural },
    name: "db1",
    namespace: "engine",
    operation: "UPDATE",
    userInfo: { username: "admin" },
    object: rebrand(anEdb(after), names),
    oldObject: rebrand(anEdb(before), names),
    dryRun: false,
  };
}

async function review(request: unknown, ec: object = {}) {
  const cluster = projectCluster(rebrand({ ...anEc(), ...ec }, names), names);
  const clusters = Object.assign(new FakeClusters(), {
    known: cluster === undefined ? [] : [cluster],
  });
  const context = { clusters, operatorNamespace: "engine", options: { ...options, names } };
  const { reply, entry } = await answerReview(
    bytesOf(aReview(request)),
    context,
    performance.now() + 5_000,
  );
  const { response } = JSON.parse(reply.body) as { response: Record<string, unknown> };
  return { response, entry };
}

/** The versions where no cluster publishes any are renamed as well: 7.2 is 17.2. */
const right = { engineVersion: "18.0" };

describe("with every name changed a review is judged all the same", () => {
  test("a good edit passes", async () => {
    const { response } = await review(aRenamedUpdate({ engineVersion: "17.2" }, right));
    expect(response).toMatchObject({ uid: "uid-1", allowed: true });
  });

  test("a bad version is refused, at the field that the names have", async () => {
    const wrong = { engineVersion: "9.9" };
    const { response } = await review(aRenamedUpdate({ engineVersion: "17.2" }, wrong));
    expect(response).toMatchObject({
      allowed: false,
      status: {
        details: { causes: [{ field: names.fields.engineVersion.join(".") }] },
        message: expect.stringContaining(names.edb.kind) as string,
      },
    });
    expect(JSON.stringify(response)).not.toMatch(/engineVersion(?!z)|\bEC\b/);
  });

  test("a minor version under the policy is refused, and the fix names the cluster's field", async () => {
    const ec = { spec: { engineUpgradePolicy: "major" } };
    const edit = aRenamedUpdate({ engineVersion: "17.2" }, { engineVersion: "17.4" });
    const { response } = await review(edit, ec);
    const text = JSON.stringify(response);
    expect(response).toMatchObject({ allowed: false });
    expect(text).toContain("ECZ engine/ec sets spec.engineUpgradePolicyz");
    expect(text).not.toMatch(/engineUpgradePolicy(?!z)|\bmajor\\?"/);
  });

  test("a published version is found in the renamed status", async () => {
    const ec = { status: { bundledDatabaseVersions: [{ dbType: "engine", version: "21.4" }] } };
    const edit = aRenamedUpdate({ engineVersion: "17.2" }, { engineVersion: "21.4" });
    expect((await review(edit, ec)).response).toMatchObject({ allowed: true });
  });

  test("modules are found in renamed lists, and a user's own in the renamed cluster", async () => {
    const ec = { spec: { userDefinedModules: [{ name: "mine" }] } };
    const edit = aRenamedUpdate({}, { modulesList: [{ name: "mine" }, { name: "other" }] });
    const { response } = await review(edit, ec);
    const list = names.fields.moduleLists.at(-1) ?? "";
    expect(response).toMatchObject({
      allowed: false,
      status: {
        details: { causes: [{ field: `spec.${list}[1].${names.entryFields.moduleName}` }] },
      },
    });
  });

  test("a database of the default group is nobody's", async () => {
    const request = aRenamedUpdate({ engineVersion: "17.2" }, { engineVersion: "9.9" });
    const resource = { ...request.resource, group: "app.engine.com" };
    expect((await review({ ...request, resource })).entry).toMatchObject({ rule: "not judged" });
  });
});

test("a file of clusters holds them under the other kind", () => {
  const content = JSON.stringify(rebrand(anEc(), names));
  expect(parseClusters(content, names)).toMatchObject([{ namespace: "engine", name: "ec" }]);
  expect(() => parseClusters(JSON.stringify(anEc()), names)).toThrow(
    `object 1 is no ${names.ec.kind} of ${names.group}`,
  );
});
