/** Which EC's REST API a command asks, and what Kubernetes has to allow before. */
import { apiPermissions, readEc } from "../../../plugin/cmdutil/rest-api-option";
import { UsageError } from "../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import { anApiEc } from "../../support/cluster-api-client";

const { signal } = new AbortController();

function withEcs(...all: readonly string[]): KubeClient {
  const ecs = all.map((name): KubeObject => {
    const ec = anApiEc();
    return { ...ec, metadata: { ...ec.metadata, name } };
  });
  const list = () => Promise.resolve(all.length === 0 ? undefined : ecs);
  return { namespace: "engine", list } as unknown as KubeClient;
}

test.each([
  [["ec"], undefined, "ec"],
  [["ec", "other"], "other", "other"],
])("of %j with --ec %j it is %s", async (ecs, name, found) => {
  const ec = await readEc(withEcs(...ecs), name, { names, signal });
  expect(ec.metadata.name).toBe(found);
});

test("an EC that is served in the newer version alone is found", async () => {
  const asked: string[] = [];
  const list = ({ version }: { readonly version: string }) => {
    asked.push(version);
    return Promise.resolve(version === names.ecVersion ? [anApiEc()] : undefined);
  };
  const cluster = { namespace: "engine", list } as unknown as KubeClient;
  const ec = await readEc(cluster, undefined, { names, signal });
  expect(ec.metadata.name).toBe(anApiEc().metadata.name);
  expect(asked).toEqual([names.version, names.ecVersion]);
});

test.each([
  [[], undefined, "has no EC"],
  [["ec"], "other", 'has no EC "other"'],
  [["ec", "other"], undefined, "has several ECs: ec, other"],
])("of %j with --ec %j it is an error", async (ecs, name, words) => {
  const work = readEc(withEcs(...ecs), name, { names, signal });
  await expect(work).rejects.toThrow(words);
  await expect(work).rejects.toThrow(UsageError);
});

const permissionsOf = (flags: object, spec: object = {}): readonly string[] =>
  apiPermissions(
    { cluster: withEcs("ec"), ec: anApiEc(spec), flags: { insecure: false, ...flags } },
    names,
  ).map(({ verb, resource, name = "*" }) => `${verb} ${resource} ${name}`);

test("the Secret alone is read, by its name; a port is forwarded unless there is an address", () => {
  const forward = ["create pods/portforward *", "get pods/portforward *"];
  expect(permissionsOf({})).toEqual(["get secrets ec", ...forward]);
  expect(permissionsOf({ url: "https://a" })).toEqual(["get secrets ec"]);
  expect(permissionsOf({ url: "https://a", credentialsSecret: "mine" })).toEqual([
    "get secrets mine",
  ]);
  expect(permissionsOf({ url: "https://a" }, { clusterCredentialSecretName: "login" })).toEqual([
    "get secrets login",
  ]);
});
