/** A cluster as earlier parts will leave it: what every request gets, by what is projected. */
import {
  NotYetKnownError,
  type EngineError,
  UntriedError,
} from "../../../plugin/domain/base/errors";
import { kinds, reviewKinds } from "../../../plugin/domain/kube/kinds";
import type { KubeObject, Ref } from "../../../plugin/domain/kube/objects";
import {
  joinProjections,
  projectCluster,
  type Projection,
  unchanged,
  unlessUnknown,
} from "../../../plugin/kernel/projection";
import type { KubeClient, ListOptions } from "../../../plugin/ports/kubernetes";
import { observe } from "../../../plugin/simulator/observed-cluster";
import { aNamespace } from "../../support/builders";
import { makeWorld } from "../../support/world";

const settings = (name: string, data: object = {}, labels = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "engine", labels },
  data,
});
const ref = (name: string, namespace = "engine"): Ref => ({
  resource: kinds.configMap,
  name,
  namespace,
});
const role: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "reader", namespace: "engine" },
  rules: [],
};
const bindingOf = (name: string): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "readers", namespace: "engine" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [{ kind: "User", name: "zoe", apiGroup: "rbac.authorization.k8s.io" }],
});
const review: KubeObject = {
  apiVersion: "authorization.k8s.io/v1",
  kind: reviewKinds.wide.kind,
  metadata: {},
  spec: { user: "zoe", resourceAttributes: { verb: "get", resource: "pods" } },
};

/** A cluster with two settings, and every request that reaches it. */
function aCluster() {
  const objects = [aNamespace("engine"), aNamespace("other"), settings("a", { x: "1" }), role];
  const inner = makeWorld({ objects: [...objects, settings("b", {}, { of: "b" })] }).connect();
  const sent: string[] = [];
  const cluster = observe(inner, (call, act) => {
    sent.push(`${call.verb} ${call.subject}`);
    return act();
  });
  return { cluster, sent };
}

const over = (projection: Partial<Projection>) => {
  const { cluster, sent } = aCluster();
  return { view: projectCluster(cluster, { ...unchanged, ...projection }), sent };
};

describe("get", () => {
  test.each<[string, Partial<Projection>, readonly [unknown, number]]>([
    ["what nothing is said of is read", {}, [{ x: "1" }, 1]],
    ["what is stored is as it will be", { stored: [settings("a", { x: "2" })] }, [{ x: "2" }, 0]],
    ["what is gone is not there", { gone: [ref("a")] }, [undefined, 0]],
    [
      "what is stored counts in a place of which nobody knows the rest",
      {
        stored: [settings("a", { x: "2" })],
        unknown: [{ resource: kinds.configMap, until: "Secret/a: there" }],
      },
      [{ x: "2" }, 0],
    ],
  ])("%s", async (_, projection, [data, requests]) => {
    const { view, sent } = over(projection);
    const found = await view.get(ref("a"));
    expect([found?.["data"], sent]).toEqual([data, sent.slice(0, requests)]);
    expect(sent).toHaveLength(requests);
  });

  test("gives the version that is asked for", async () => {
    const { view } = over({ stored: [settings("a")] });
    const other = { ...ref("a"), resource: { ...kinds.configMap, version: "v2" } };
    expect((await view.get(other))?.apiVersion).toBe("v2");
  });

  test("of what nobody can know yet is told what has to come about", async () => {
    const { view, sent } = over({
      unknown: [{ resource: kinds.configMap, namespace: "engine", until: "Deployment/op: to run" }],
    });
    await expect(view.get(ref("a"))).rejects.toThrow(NotYetKnownError);
    await expect(view.get(ref("a", "other"))).resolves.toBeUndefined();
    expect(await unlessUnknown(() => view.get(ref("a")))).toEqual({
      is: "open",
      until: "Deployment/op: to run",
    });
    expect(await unlessUnknown(() => Promise.resolve(1))).toEqual({ is: "known", value: 1 });
    await expect(unlessUnknown(() => Promise.reject(new Error("other")))).rejects.toThrow("other");
    expect(sent).toHaveLength(1);
  });
});

describe("list", () => {
  const named = async (view: KubeClient, options: Parameters<KubeClient["list"]>[1]) =>
    (await view.list(kinds.configMap, options))?.map(({ metadata }) => metadata.name);

  test.each<[string, Partial<Projection>, readonly [ListOptions, ...(readonly string[])]]>([
    ["nothing is projected", {}, [{ namespace: "engine" }, "a", "b"]],
    ["one more", { stored: [settings("aa")] }, [{ namespace: "engine" }, "a", "aa", "b"]],
    ["one is gone", { gone: [ref("a")] }, [{ namespace: "engine" }, "b"]],
    ["up to a limit", { gone: [ref("a")], stored: [settings("c")] }, [{ limit: 1 }, "b"]],
    ["of another namespace", { stored: [settings("c")] }, [{ namespace: "other" }]],
    [
      "by name",
      { stored: [settings("c"), settings("d")] },
      [{ fieldSelector: "metadata.name=c" }, "c"],
    ],
    [
      "by label",
      { stored: [settings("c", {}, { of: "b" }), settings("d")] },
      [{ labelSelector: "of=b" }, "b", "c"],
    ],
    [
      "a label that will be another",
      { stored: [settings("b", {}, { of: "c" })] },
      [{ labelSelector: "of=b" }],
    ],
    [
      "unknown elsewhere",
      { unknown: [{ resource: kinds.configMap, namespace: "other", until: "Secret/a: there" }] },
      [{ namespace: "engine" }, "a", "b"],
    ],
    [
      "unknown by another name",
      { unknown: [{ resource: kinds.configMap, name: "x", until: "Secret/a: there" }] },
      [{ fieldSelector: "metadata.name=a" }, "a"],
    ],
  ])("%s", async (_, projection, [options, ...names]) => {
    expect(await named(over(projection).view, options)).toEqual(names);
  });

  test.each([{}, { namespace: "engine" }, { fieldSelector: "metadata.name=a" }])(
    "that may hold what nobody knows says what has to come about: %p",
    async (options) => {
      const until = "Secret/a: there";
      const unknown = [{ resource: kinds.configMap, namespace: "engine", until }] as const;
      await expect(over({ unknown }).view.list(kinds.configMap, options)).rejects.toThrow(
        "Secret/a: there",
      );
    },
  );

  test("a selector that cannot be laid over is a fault of the program", async () => {
    const { view } = over({ stored: [settings("c")] });
    const listing = view.list(kinds.configMap, { labelSelector: "of in (b)" });
    await expect(listing).rejects.toThrow("a selector that cannot be laid over a plan");
  });

  test("of a kind that is not served stays none", async () => {
    const absent = { group: "x.example", version: "v1", plural: "xs", kind: "X" };
    const gone = [{ resource: absent, name: "x" }];
    expect(await over({ gone }).view.list(absent)).toBeUndefined();
  });
});

describe("a dry run", () => {
  const apply = { dryRun: true, fieldManager: "test", force: true };
  test.each<[string, Partial<Projection>, KubeObject]>([
    ["of an object that stays is tried", {}, settings("a", { x: "2" })],
    ["of one that will be otherwise is not", { stored: [settings("a")] }, settings("a")],
    ["of one that will be gone is not", { gone: [ref("a")] }, settings("a")],
    ["of a shaded kind is not", { shades: [{ group: "", kind: "ConfigMap" }] }, settings("a")],
    ["in a namespace that is new is not", { stored: [aNamespace("engine")] }, settings("a")],
    ["of a binding to a role that stays is tried", {}, bindingOf("reader")],
    ["of a binding to a role that changes is not", { stored: [role] }, bindingOf("reader")],
    ["of a binding to another role is tried", { stored: [role] }, bindingOf("other")],
  ])("%s", async (title, projection, object) => {
    const isTried = title.endsWith("is tried");
    const { view, sent } = over(projection);
    const results = await Promise.allSettled([view.apply(object, apply)]);
    const [result] = results;
    expect([result.status, sent.length]).toEqual(isTried ? ["fulfilled", 1] : ["rejected", 0]);
    if (!isTried) await expect(view.apply(object, apply)).rejects.toThrow(UntriedError);
  });

  test.each<[string, (view: KubeClient) => Promise<unknown>]>([
    ["create", (view) => view.create(settings("a"), { dryRun: true })],
    ["update", (view) => view.update(settings("a"), { dryRun: true })],
    ["patch", (view) => view.patch(ref("a"), {}, { type: "merge", dryRun: true })],
    ["delete", (view) => view.delete(ref("a"), {}, { dryRun: true })],
  ])("by %s is not tried either", async (_, act) => {
    const { view, sent } = over({ stored: [settings("a")] });
    await expect(act(view)).rejects.toThrow(UntriedError);
    expect(sent).toEqual([]);
  });

  test("over a connection of its own is a probe of who answers today", async () => {
    const shades = [{ group: "", kind: "ConfigMap" }];
    const { view, sent } = over({ shades });
    await view.create(settings("new"), { dryRun: true, fresh: true });
    expect(sent).toHaveLength(1);
    await expect(view.create(settings("new"), { fresh: true })).rejects.toThrow("writes nothing");
  });
});

describe("a plan writes nothing", () => {
  test.each<[string, (view: KubeClient) => unknown]>([
    ["create", (view) => view.create(settings("c"))],
    ["update", (view) => view.update(settings("a"))],
    ["apply", (view) => view.apply(settings("a"), { fieldManager: "test" })],
    ["patch", (view) => view.patch(ref("a"), {}, { type: "merge" })],
    ["delete", (view) => view.delete(ref("a"), {})],
    [
      "watch",
      async (view) => {
        await Promise.resolve();
        return view.watch(kinds.configMap, { signal: new AbortController().signal });
      },
    ],
  ])("%s is a fault of the program", async (_, act) => {
    const { view, sent } = over({});
    await expect(act(view)).rejects.toThrow(/^a plan (writes|watches) nothing/);
    expect(sent).toEqual([]);
  });
});

test("reviews of others are asked until rights are projected", async () => {
  await expect(over({}).view.create(review)).resolves.toMatchObject({ status: {} });
  await expect(over({ stored: [role] }).view.create(review)).rejects.toThrow(UntriedError);
  const { cluster } = aCluster();
  const ownRights = over({ stored: [role] }).view;
  const access = { verb: "get", group: "", resource: "pods" };
  expect([await ownRights.can(access), await ownRights.whoAmI()]).toEqual([
    await cluster.can(access),
    await cluster.whoAmI(),
  ]);
  expect(await ownRights.serves("", "v1")).toEqual(await cluster.serves("", "v1"));
  expect([ownRights.server, ownRights.namespace, await ownRights.version()]).toEqual([
    cluster.server,
    cluster.namespace,
    await cluster.version(),
  ]);
});

test("of projections that follow one another the later counts", () => {
  const first = { ...unchanged, stored: [settings("a")], gone: [ref("b")] };
  const both = joinProjections(first, { ...unchanged, stored: [settings("b")], gone: [ref("a")] });
  expect([both.stored.map(({ metadata }) => metadata.name), both.gone]).toEqual([
    ["b"],
    [ref("a")],
  ]);
});

test("both errors name no server, and end a command with 3 where nobody expects them", () => {
  const errors: readonly EngineError[] = [new UntriedError("x"), new NotYetKnownError("x: y")];
  expect(errors.map(({ code, exitCode }) => [code, exitCode])).toEqual([
    ["UNTRIED", 3],
    ["NOT-YET-KNOWN", 3],
  ]);
});
