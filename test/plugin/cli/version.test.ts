/** `version` as a person types it: of this tool, and of what is found in the cluster. */
import { version } from "../../../package.json";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { UnavailableError } from "../../../plugin/domain/base/errors";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import { schemaProblems } from "../../control-plane/plugin-run";
import { makeWorld } from "../../support/world";
import { typed } from "../../support/program-world";

const deployed = (name: string, namespace: string, image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace },
  spec: { template: { spec: { containers: [{ name: "only", image }] } } },
});

const { deployment: webhook } = names.companion;
const operator = deployed(names.operator.deployment, "engine", "engine/operator:8.0.2-2");

function clusterOf(...objects: readonly ReturnType<typeof deployed>[]) {
  const { cluster } = makeWorld({ objects: [operator, ...objects] });
  return { connect: () => Promise.resolve<KubeClient>(cluster) };
}

test("--client asks no cluster", async () => {
  const { code, out, err } = await typed(["version", "--client"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^Client Version: v\d+\.\d+\.\d+\nCommit: .+\nNode: v[\d.]+, \w+\/\w+\n$/);
});

test("what is found in the cluster is told, and a webhook of this release is no warning", async () => {
  const scene = clusterOf(deployed(webhook, "admission", `engine/webhook:${version}`));
  const { code, out, err } = await typed(["version"], scene);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("\nServer Version: v");
  expect(out).toContain("\nOperator Version: 8.0.2-2, namespace engine\n");
  expect(out).toContain(`\nWebhook Version: ${version}, namespace admission\n`);
});

test("a webhook of another release is a warning, one by digest is not checked", async () => {
  const digest = `engine/webhook@sha256:${"0".repeat(64)}`;
  const scene = clusterOf(
    deployed(webhook, "admission", "engine/webhook:0.0.9"),
    deployed(webhook, "other", digest),
  );
  const { code, out, err } = await typed(["version"], scene);
  expect(code).toBe(0);
  expect(err).toBe(
    `warning: the webhook in namespace admission is 0.0.9 and this tool ${version}: they are meant to be of one release\n`,
  );
  expect(out).toContain("\nWebhook Version: pinned by digest, namespace other\n");
});

test("what is not there is not found", async () => {
  const { out } = await typed(["version"], clusterOf());
  expect(out).toContain("\nWebhook Version: not found\n");
});

test("a cluster that cannot be asked is no failure, and the document says why", async () => {
  const connect = () => Promise.reject<KubeClient>(new UnavailableError("connection refused"));
  const text = await typed(["version"], { connect });
  expect([text.code, text.err]).toEqual([0, ""]);
  expect(text.out).toContain("\nServer: not read: connection refused\n");
  const { out } = await typed(["version", "-o", "json"], { connect });
  const document = JSON.parse(out) as { readonly details: object };
  expect(schemaProblems(document)).toEqual([]);
  expect(document.details).toMatchObject({
    clientVersion: { version, commit: expect.any(String) as string },
    unread: "connection refused",
  });
});
