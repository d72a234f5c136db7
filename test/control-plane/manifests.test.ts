/** The companion webhook's manifests on a real API server. */
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { defaultNames } from "../../plugin/domain/names/names";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { repositoryRoot } from "./pins";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [] });
});
afterAll(() => controlPlane.stop());

test.each(["webhook", "webhook-own-cert", "webhook-example"])(
  "manifests/%s: kubectl apply -k takes every object",
  async (name) => {
    await controlPlane.kubectl(["create", "namespace", defaultNames.companion.namespace]);
    const path = join(repositoryRoot, "manifests", name);
    const { stdout: built } = await controlPlane.kubectl(["kustomize", path]);
    const applied = await controlPlane.kubectl(["apply", "--dry-run=server", "-k", path]);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout.match(/\(server dry run\)$/gm)).toHaveLength(loadAll(built).length);
  },
);
