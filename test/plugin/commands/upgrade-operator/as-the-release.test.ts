/** "As the release has it" is said of what stands there as a whole, not of what the file names. */
import { type KubeObject, objectLabel } from "../../../../plugin/domain/kube/objects";
import { getPath, withValue } from "../../../../plugin/domain/base/values";
import { type Edit, RehearsedExample } from "../../../support/rehearsed-example";
import { aWebhookProgram } from "../../../support/webhook-program";

const program = aWebhookProgram();
let made: RehearsedExample | undefined;
const example = (): RehearsedExample => (made ??= new RehearsedExample(program));

const changed =
  (label: string, path: readonly string[], value: (now: unknown) => unknown): Edit =>
  (object) =>
    objectLabel(object) === label
      ? (withValue(object, path, value(getPath(object, path))) as unknown as KubeObject)
      : object;

const service = "Service/engine/admission";
const clusters = "CustomResourceDefinition/engineenterpriseclusters.app.engine.com";

test("a key of the Service's selector that the release does not have goes", async () => {
  const stale = (now: unknown) => ({ ...(now as object), component: "edb-admission" });
  const edit = changed(service, ["spec", "selector"], stale);
  const { code, written } = await example().run("upgrade-operator", edit);
  expect([code, written.map(({ object }) => object)]).toEqual([
    0,
    expect.arrayContaining([service]) as unknown,
  ]);
});

test.each(["check", "status", "upgrade-webhook"])(
  "%s names the key of the selector that no pod carries, and the command that takes it out",
  async (command) => {
    const stale = (now: unknown) => ({ ...(now as object), component: "edb-admission" });
    const edit: Edit = (object) =>
      object.kind === "EndpointSlice"
        ? { ...object, endpoints: [] }
        : changed(service, ["spec", "selector"], stale)(object);
    const { code, report } = await example().run(command, edit);
    expect(code).toBe(command === "status" ? 0 : 3);
    expect(JSON.stringify(report)).toMatch(
      /asks for component=edb-admission, which no pod carries; without it Pod\/engine\/\S+ would match/,
    );
    expect(JSON.stringify(report)).toContain(
      "kubectl patch service admission --namespace=engine --type=merge '--patch=",
    );
  },
);

test("a conversion to a Service that is gone keeps every EC from being read: its patch is told, nothing is written", async () => {
  const edit = changed(clusters, ["spec", "conversion"], () => ({
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { service: { namespace: "engine-old", name: "convert", path: "/convert" } },
    },
  }));
  const judged = await example().run("check", edit);
  expect(judged.errors.map((one) => one.code)).toContain("DEFINITION-CONVERSION");
  const { code, written, errors } = await example().run("upgrade-operator", edit);
  expect([code, written]).toEqual([3, []]);
  expect(errors.map(({ fix }) => fix).join()).toContain(
    "kubectl patch customresourcedefinition engineenterpriseclusters.app.engine.com --type=merge",
  );
});

test("a definition that keeps unknown fields is told with its patch, by check and before the upgrade's first write", async () => {
  const edit = changed(clusters, ["spec", "preserveUnknownFields"], () => true);
  const judged = await example().run("check", edit);
  const of = (run: typeof judged) =>
    (run.first?.findings ?? []).find(({ code }) => code === "DEFINITION-KEEPS-UNKNOWN");
  expect(of(judged)).toMatchObject({
    severity: "warning",
    command: expect.stringMatching(
      /^kubectl get \S+ --all-namespaces -o yaml > \S+ && kubectl patch customresourcedefinition engineenterpriseclusters.app.engine.com --type=merge '--patch=/,
    ) as unknown,
  });
  const planned = await example().run("upgrade-operator", (object) => withoutNodes(edit(object)));
  expect(of(planned)?.severity).toBe("warning");
});

/** A definition that lacks a field of the release, and is written therefore. */
function withoutNodes(object: KubeObject | undefined): KubeObject | undefined {
  if (object === undefined || objectLabel(object) !== clusters) return object;
  const text = JSON.stringify(object).replaceAll('"nodes":{', '"nodesOfOld":{');
  return JSON.parse(text) as KubeObject;
}

test("a selector that the release does not have is told by check with a line that saves and deletes, and by upgrade before its first write", async () => {
  const deployment = "Deployment/engine/engine-enterprise-operator";
  const more = (now: unknown) => ({ ...(now as object), instance: "prod" });
  const edit: Edit = (object) =>
    [
      ["spec", "selector", "matchLabels"],
      ["spec", "template", "metadata", "labels"],
    ].reduce<KubeObject>((one, path) => changed(deployment, path, more)(one) as KubeObject, object);
  const { lines } = example();
  const release = lines["upgrade-operator"]?.slice(1).join(" ") ?? "";
  const judged = await example().run(`check ${release}`, edit);
  const found = judged.errors.filter(({ code }) => code === "OPERATOR-FIXED-FIELD");
  expect(found.map(({ command }) => command)).toEqual([
    "kubectl get deployment engine-enterprise-operator --namespace=engine -o yaml > engine-enterprise-operator.yaml && kubectl delete deployment engine-enterprise-operator --namespace=engine",
  ]);
  for (const command of ["upgrade-operator", "upgrade"]) {
    const { code, written, errors } = await example().run(command, edit);
    expect([code, written]).toEqual([3, []]);
    expect(errors.map((one) => one.code)).toContain("OPERATOR-FIXED-FIELD");
  }
});

test("a binding for the account of another namespace is named, and written", async () => {
  const binding = "RoleBinding/engine/engine-enterprise-operator";
  const name = "engine-enterprise-operator";
  const edit = changed(binding, ["subjects"], () => [
    { kind: "ServiceAccount", name, namespace: "default" },
  ]);
  const judged = await example().run("check", edit);
  expect(judged.errors.map((one) => one.code)).toContain("RBAC-OWN-BINDING");
  const { code, written } = await example().run("upgrade-operator", edit);
  expect([code, written.map(({ object }) => object)]).toEqual([
    0,
    expect.arrayContaining([binding]) as unknown,
  ]);
});
