/** Secrets that a database names: looked for before the write, by every way, and read by their names alone. */
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import { isObject } from "../../../../plugin/domain/base/values";
import { type Edit, RehearsedExample } from "../../../support/rehearsed-example";
import { aWebhookProgram } from "../../../support/webhook-program";

const program = aWebhookProgram();
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const sessions = "EngineEnterpriseDatabase/shop/sessions";
const line = "upgrade-database shop/sessions --engine-version=7.4";
const naming =
  (spec: object): Edit =>
  (object) => {
    if (objectLabel(object) !== sessions || !isObject(object["spec"])) return object;
    return { ...object, spec: { ...object["spec"], replication: true, ...spec } };
  };
const two = naming({
  ...{ tlsMode: "enabled", databaseSecretName: "sessions-login" },
  clientAuthenticationCertificates: ["partner-ca"],
});
const aSecret = (name: string, ...items: readonly string[]): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Secret", type: "Opaque", metadata: { name, namespace: "shop" } },
  data: Object.fromEntries(items.map((item) => [item, "cA=="])),
});

test("check names both Secrets that do not exist", async () => {
  const { report } = await example().run("check", two);
  const found = (report?.findings ?? []).filter(({ code }) => code === "REFERENCE-MISSING");
  expect(found.map(({ object, field, severity }) => [object, field, severity])).toEqual([
    [sessions, "spec.databaseSecretName", "warning"],
    [sessions, "spec.clientAuthenticationCertificates[0]", "warning"],
  ]);
});

test("upgrade-database refuses before the write: 3", async () => {
  const { code, errors, written } = await example().run(line, two);
  expect([code, errors.map((one) => [one.code, one.object]), written]).toEqual([
    3,
    [["REFERENCE-MISSING", sessions]],
    [],
  ]);
  expect(errors[0]?.cause).toContain("Secret partner-ca");
});

test.each<[string, Edit, readonly KubeObject[], readonly string[]]>([
  ["that exist", two, [aSecret("sessions-login", "password"), aSecret("partner-ca", "cert")], []],
  [
    "of which the operator creates the one that does not exist",
    naming({ databaseSecretName: "sessions-login" }),
    [],
    ["REFERENCE-MISSING"],
  ],
])("a database with Secrets %s is upgraded", async (_title, edit, more, expected) => {
  const { code, report, errors, written } = await example().run(line, edit, more);
  expect([code, errors]).toEqual([0, []]);
  expect(written.map(({ object }) => object)).toContain(sessions);
  const found = (report?.findings ?? []).filter((one) => one.code === "REFERENCE-MISSING");
  expect(found.map((one) => one.code)).toEqual(expected);
});

test("it is accepted by the name of the database, and for no other", async () => {
  const skip = `--skip=REFERENCE-MISSING=${sessions}`;
  const { code, written } = await example().run(`${line} ${skip}`, two);
  expect([code, written.map(({ object }) => object)]).toEqual([0, [sessions]]);
  const other = await example().run(`${line} --skip=REFERENCE-MISSING=x`, two);
  expect([other.code, other.written]).toEqual([2, []]);
});

test("an EC that names an account and a certificate which do not exist is not written", async () => {
  const ec = "EngineEnterpriseCluster/engine/ec";
  const edit: Edit = (object) => {
    if (objectLabel(object) !== ec || !isObject(object["spec"])) return object;
    const certificates = { proxyCertificateSecretName: "proxy" };
    return { ...object, spec: { ...object["spec"], serviceAccountName: "pods", certificates } };
  };
  const { code, errors, written } = await example().run("upgrade-cluster", edit);
  expect([code, written]).toEqual([3, []]);
  const found = errors.filter((one) => one.code === "REFERENCE-MISSING");
  expect(found.map(({ object, field }) => [object, field])).toEqual([
    [ec, "spec.serviceAccountName"],
    [ec, "spec.certificates.proxyCertificateSecretName"],
  ]);
});
