/** What is being deleted: nothing is written into it, or advised for it, by any command. */
import { objectLabel } from "../../../plugin/domain/kube/objects";
import { type Edit, RehearsedExample } from "../../support/rehearsed-example";
import { aWebhookProgram } from "../../support/webhook-program";

const program = aWebhookProgram();
const since = "2026-01-02T01:00:00Z";
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const deleting =
  (...labels: readonly string[]): Edit =>
  (object) => {
    if (!labels.includes(objectLabel(object))) return object;
    const held = { deletionTimestamp: since, finalizers: ["example.com/hold"] };
    return { ...object, metadata: { ...object.metadata, ...held } };
  };

const crd = (plural: string) => `CustomResourceDefinition/${plural}.app.engine.com`;
const names = ["check", "upgrade", "upgrade-operator", "upgrade-webhook", "upgrade-cluster"];
const all = [...names, "upgrade-database", "recover"];

/** What goes, what the first error says of it, and the commands that are tried. */
const grounds: readonly (readonly [string, string, readonly string[]])[] = [
  [crd("engineenterprisedatabases"), "with it go 5 EDBs (", all],
  [crd("engineenterpriseclusters"), "with it go 1 EC (engine/ec)", names],
  [
    crd("engineenterpriseactiveactivedatabases"),
    "with it go 1 EAADB (engine/carts)",
    ["upgrade-operator"],
  ],
  [
    crd("engineenterpriseremoteclusters"),
    "held by finalizer example.com/hold",
    ["upgrade-operator"],
  ],
  ["Namespace/engine", "with it go 1 EC (engine/ec), and 2 EDBs (", all],
  ["EngineEnterpriseCluster/engine/ec", "with it go 5 EDBs (", all],
];

describe.each(grounds)("%s is being deleted", (label, says, tried) => {
  test.each(tried)("%s ends with 3 and writes nothing", async (name) => {
    const { code, errors, written } = await example().run(name, deleting(label));
    const cause = expect.stringContaining(
      `it is being deleted since ${since}, held by finalizer`,
    ) as string;
    expect([code, written]).toEqual([3, []]);
    expect(errors[0]).toMatchObject({ object: label, cause });
    expect(errors[0]?.cause).toContain(says);
  });

  test("status shows Stalled, advises nothing for it, and ends with 0", async () => {
    const { code, first } = await example().run("status", deleting(label));
    expect([code, first?.details]).toMatchObject([
      0,
      { verdict: "stalled", next: { says: expect.stringContaining(label) as string } },
    ]);
    expect(first?.details).not.toHaveProperty("next.words");
  });
});

/** An object that a command writes. */
test.each([
  ["upgrade-operator", "Service/engine/admission"],
  ["upgrade-operator", "Deployment/engine/engine-enterprise-operator"],
  ["upgrade-operator", "Role/engine/engine-enterprise-operator"],
  ["upgrade-webhook", "ValidatingWebhookConfiguration/edb-admission"],
  ["check", "Service/engine/admission"],
  ["check", "ValidatingWebhookConfiguration/edb-admission"],
  ["check", "Deployment/engine/engine-enterprise-operator"],
])("%s ends with 3 where %s is being deleted", async (name, label) => {
  const { code, errors, written } = await example().run(name, deleting(label));
  expect([code, written]).toEqual([3, []]);
  expect(errors[0]).toMatchObject({ code: "OBJECT-DELETING", object: label });
});

/** Commands that write into the operator's namespace beside the upgrades. */
test.each(["reapply-rbac", "cert create", "cert create --replace --yes"])(
  "%s ends with 3 where the operator's namespace is being deleted",
  async (name) => {
    const { code, errors, written } = await example().run(name, deleting("Namespace/engine"));
    expect([code, written]).toEqual([3, []]);
    const cause = expect.stringContaining("with it go 1 EC (engine/ec), and 2 EDBs (") as string;
    expect(errors).toMatchObject([
      { code: "NAMESPACE-DELETING", object: "Namespace/engine", cause },
    ]);
  },
);

test("a definition and an EC that go do not stop what writes neither", async () => {
  const goes = deleting(crd("engineenterprisedatabases"), "EngineEnterpriseCluster/engine/ec");
  const { code } = await example().run("cert create --replace --dry-run=client", goes);
  expect(code).toBe(0);
});

const orders = "EngineEnterpriseDatabase/shop/orders";

test("a database that goes is left out and named, the others are upgraded: 6", async () => {
  const { code, first, written } = await example().run("upgrade-database", deleting(orders));
  expect([code, first?.exit]).toMatchObject([6, { leftOut: [orders] }]);
  expect(written.length).toBeGreaterThan(0);
  expect(written.map(({ object }) => object)).not.toContain(orders);
});

test("a database that goes and was asked for alone is refused: 3", async () => {
  const line = "upgrade-database shop/orders --engine-version=7.4 --may-discard-data";
  const { code, errors, written } = await example().run(line, deleting(orders));
  expect([code, errors.map((one) => one.code), written]).toEqual([3, ["DATABASE-DELETING"], []]);
});

test.each([
  ["upgrade-operator", 0],
  ["upgrade-webhook", 0],
  ["reapply-rbac", 6],
  ["upgrade", 6],
])("a database and a managed namespace that go do not stop %s", async (name, ends) => {
  const { code, written } = await example().run(name, deleting(orders, "Namespace/shop"));
  expect(code).toBe(ends);
  expect(written.length).toBeGreaterThan(0);
  expect(written.filter(({ object }) => object.includes("/shop"))).toEqual([]);
});

test("check warns of a database and a managed namespace that go", async () => {
  const line = "check --skip=ACTIVE-ACTIVE-OPERATOR";
  const { first } = await example().run(line, deleting(orders, "Namespace/shop"));
  const told = first?.findings?.filter(({ code }) => /DELETING|TERMINATING/.test(code));
  expect(told?.map(({ code, severity }) => [code, severity])).toEqual([
    ["DATABASE-DELETING", "warning"],
    ["RBAC-NAMESPACE-TERMINATING", "warning"],
  ]);
});
