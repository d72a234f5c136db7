/** `kubectl engine status` on a real API server: what it reads, what it says, what it leaves alone. */
import type { StatusDetails } from "../../plugin/commands/status/screen";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import type { AuditEvent } from "./audit";
import type { ControlPlane } from "./control-plane";
import { clusterStatus } from "./scene";
import {
  cluster,
  namespaceNames,
  openManaged,
  ownAccess,
  operatorNamespace,
  rightsOf,
  seedNamespaces,
  settings,
} from "./managed-namespaces";
import { operatorDeployment, writeOperatorStatus } from "./operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";

const all = namespaceNames(3);

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await openManaged({ users: [{ name: "jane" }] });
  const { api } = controlPlane;
  await api.writeStatus(cluster(), clusterStatus);
  await api.create(settings({ EDB_NAMESPACES: all.join(",") }));
  await seedNamespaces(api, all);
  await api.create({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name: "orders", namespace: all[0] ?? "" },
    spec: { memorySize: "1GB", engineVersion: "7.4" },
  });
});
afterAll(() => controlPlane.stop());

const detailsOf = ({ report }: PluginRun): StatusDetails =>
  (report as unknown as { details: StatusDetails }).details;

function status(args: readonly string[] = [], user: string = runner.name): Promise<PluginRun> {
  return runPlugin(controlPlane, ["status", ...args], { namespace: operatorNamespace, user });
}

const isList = ({ verb, requestURI }: AuditEvent): boolean =>
  verb === "list" || requestURI === "/version";

test("one look sends LISTs and asks the server's version, nothing else", async () => {
  const mark = await controlPlane.auditMark();
  const run = await status();
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user }) => user.username === runner.name,
  );
  expect([run.code, run.writes]).toEqual([0, []]);
  expect(events.length).toBeGreaterThan(20);
  expect(events.filter((event) => !isList(event)).map(({ requestURI }) => requestURI)).toEqual([]);
});

test("the columns are those of the object, and unserved kinds are no error", async () => {
  const { clusters, databases, rbac, webhook, apiServer } = detailsOf(await status());
  expect(apiServer).toMatch(/^v1\./);
  expect(clusters.items).toMatchObject([
    { name: "ec", nodes: "3", state: "Running", licenseState: "Valid", shardsLimit: "100" },
  ]);
  expect(databases).toMatchObject({ count: 1, pending: [{ name: "ns-0001/orders" }] });
  // no operator reports which release's roles they should have
  expect(rbac).toMatchObject({ differing: [], verdict: { is: "unknown" } });
  expect(webhook.verdict).toMatchObject({ is: "absent" });
});

test("a user who may list ECs alone sees them, and the rest as unknown", async () => {
  const { api } = controlPlane;
  const rules = [{ apiGroups: [names.group], resources: [names.ec.plural], verbs: ["list"] }];
  expect((await status([], "jane")).code).toBe(4);
  for (const object of rightsOf("jane", rules)) await api.create(object);
  const run = await status([], "jane");
  const { clusters, operator } = detailsOf(run);
  expect(run.code).toBe(0);
  expect(clusters.items).toHaveLength(1);
  expect(operator.verdict).toMatchObject({ is: "unknown", because: "may not list deployments" });
});

async function writeStatus(path: string, status: object): Promise<void> {
  const written = await controlPlane.api.send("PATCH", `${path}/status`, {
    body: { status },
    contentType: "application/merge-patch+json",
  });
  expect(written.status).toBe(200);
}

test("the command that is next can be run as it is printed, and is not next any more", async () => {
  const { api } = controlPlane;
  await api.create(operatorDeployment(operatorNamespace));
  await writeOperatorStatus(api, operatorNamespace);
  expect(detailsOf(await status()).next?.says).toMatch(/^fix the operator's access first: /);
  for (const object of ownAccess()) await api.create(object);
  // without a StatefulSet the EC is on its way; without the EC nothing but RBAC is left
  const given = detailsOf(await status()).next;
  expect(given?.says).toMatch(/^wait for EC ec: /);
  const containers = [{ name: names.pods.container, image: "engine/engine:1" }];
  const set = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "ec", namespace: operatorNamespace },
    spec: {
      replicas: 3,
      serviceName: "ec",
      selector: { matchLabels: { app: "ec" } },
      template: {
        metadata: { labels: { app: "ec" } },
        spec: { containers },
      },
    },
  };
  const path = `/apis/apps/v1/namespaces/${operatorNamespace}/statefulsets`;
  const created = await api.send("POST", path, { body: set });
  expect(created).toMatchObject({ status: 201 });
  const revisions = { currentRevision: "ec-1", updateRevision: "ec-1" };
  const counts = { replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 };
  await writeStatus(`${path}/ec`, { observedGeneration: 1, ...counts, ...revisions });
  const uid = getPath(created.body, ["metadata", "uid"]);
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "ec", uid, controller: true };
  for (const name of ["ec-0", "ec-1", "ec-2"]) {
    const pods = `/api/v1/namespaces/${operatorNamespace}/pods`;
    const labels = { app: "ec", "controller-revision-hash": "ec-1" };
    const metadata = { name, labels, ownerReferences: [owner] };
    const body = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } };
    expect(await api.send("POST", pods, { body })).toMatchObject({ status: 201 });
    const conditions = [{ type: "Ready", status: "True" }];
    await writeStatus(`${pods}/${name}`, { phase: "Running", conditions });
  }
  const before = detailsOf(await status());
  expect(before.rbac).toMatchObject({ places: 3, differing: all, lacking: all });
  // what is missing first; then what the release before needed alone is removed
  for (const mode of [/^kubectl engine reapply-rbac -/, / reapply-rbac --mode=contract /]) {
    const command = detailsOf(await status()).next?.command ?? "";
    expect(command).toMatch(mode);
    const [, ...words] = command.split(" ");
    const ran = await controlPlane.kubectl([...words, "--yes"], {
      kubeconfig: controlPlane.kubeconfigFor(runner.name),
    });
    expect(ran.code).toBe(0);
  }
  const after = detailsOf(await status());
  expect(after.rbac.differing).toEqual([]);
  expect(after.next?.command ?? "").not.toContain("reapply-rbac");
});

test("--watch follows the API server, and ends with the signal's code", async () => {
  const run = await status(["--watch", "--timeout", "1s", "--interval", "200ms"]);
  expect([run.code, run.writes]).toEqual([124, []]);
  expect(detailsOf(run).clusters.items).toHaveLength(1);
});
