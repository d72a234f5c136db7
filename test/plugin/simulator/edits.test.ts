import { ApiError } from "../../../plugin/domain/base/errors";
import { defaultNames } from "../../../plugin/domain/names/names";
import { kubectlSays, tryEdits } from "../../../plugin/simulator/edits";
import { exampleSource } from "../../../plugin/simulator/example";
import type { Admission } from "../../../plugin/simulator/model";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import { aNewConfiguration } from "../../support/builders";
import { testTime } from "../../support/manual-clock";
import { admin, makeWorld } from "../../support/world";

let objects: readonly KubeObject[] = [];
beforeAll(async () => {
  const example = await exampleSource(defaultNames, testTime);
  const next = aNewConfiguration({
    entry: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } } },
  });
  objects = [...example.objects, next];
});

const denied = (text: string) =>
  new ApiError(`admission webhook "redisenterprise.admission.engine" denied the request: ${text}`, {
    status: 422,
    reason: "Invalid",
    causes: [{ field: "spec.engineVersion", message: `no such version: ${text}` }],
  });

/** An admission that refuses some versions. */
function refusing(...versions: readonly string[]): Admission {
  return {
    admit: ({ object }) => {
      const spec = object?.["spec"] as { engineVersion?: string } | undefined;
      const wanted = spec?.engineVersion ?? "";
      return versions.includes(wanted) ? Promise.reject(denied(wanted)) : Promise.resolve([]);
    },
  };
}

interface Other {
  readonly without?: (object: KubeObject) => boolean;
  readonly change?: (object: KubeObject) => KubeObject;
}

async function edits(admission: Admission, { without, change = (object) => object }: Other = {}) {
  const plane = makeWorld({
    objects: objects.filter((object) => without?.(object) !== true).map(change),
    admission,
  }).controlPlane;
  let changes = 0;
  plane.onChange(() => (changes += 1));
  const cluster = plane.connect({ user: admin, namespace: "engine" });
  return { tried: await tryEdits(cluster, plane.state, defaultNames), changes };
}

test("a version that does not exist is refused, one that exists passes, and nothing is stored", async () => {
  const { tried, changes } = await edits(refusing("9.9"));
  expect(tried).toEqual([
    {
      command: [
        ...["patch", "edb", "orders", "-n", "shop", "--type=merge"],
        ...["-p", '{"spec":{"engineVersion":"9.9"}}', "--dry-run=server"],
      ],
      wanted: "refused",
      asWanted: true,
      answer:
        'The EngineEnterpriseDatabase "orders" is invalid: spec.engineVersion: no such version: 9.9',
    },
    expect.objectContaining({
      wanted: "accepted",
      asWanted: true,
      answer: "engineenterprisedatabase.app.engine.com/orders patched",
    }),
  ]);
  expect(changes).toBe(0);
});

test("versions are tried from the newest on until one may be chosen", async () => {
  const { tried } = await edits(refusing("9.9", "7.2"));
  expect(tried[1]?.command.join(" ")).toContain('"engineVersion":"6.2"');
});

test("a bad edit that passes is not as expected", async () => {
  const { tried } = await edits(refusing());
  expect(tried.map(({ asWanted }) => asWanted)).toEqual([false, true]);
});

test("good edits that are all refused are not as expected either", async () => {
  const { tried } = await edits(refusing("9.9", "6.2", "7.2", "7.4"));
  expect(tried.map(({ asWanted }) => asWanted)).toEqual([true, false]);
});

/** The same objects with an enum for the version in the definition of databases, as older ones have it. */
const withEnum = (object: KubeObject): KubeObject =>
  object.metadata.name === `${defaultNames.edb.plural}.${defaultNames.group}`
    ? (JSON.parse(JSON.stringify(object), (key, value: unknown) =>
        key === "engineVersion" && typeof value === "object"
          ? { type: "string", enum: ["major", "latest"] }
          : value,
      ) as KubeObject)
    : object;

const channel = (object: KubeObject): KubeObject =>
  object.kind === defaultNames.edb.kind
    ? { ...object, spec: { ...(object["spec"] as object), engineVersion: "latest" } }
    : object;

/** As the companion webhook does: a module that nobody knows is refused. */
const strict: Admission = {
  admit: ({ object }) => {
    const spec = object?.["spec"] as { modulesList?: readonly { name: string }[] } | undefined;
    const unknown = spec?.modulesList?.find(({ name }) => name !== "search");
    return unknown === undefined ? Promise.resolve([]) : Promise.reject(denied(unknown.name));
  },
};

test("where the definition takes channels alone, a module is refused and a channel accepted", async () => {
  const { tried } = await edits(strict, { change: (object) => channel(withEnum(object)) });
  expect(tried.map(({ asWanted, wanted }) => [wanted, asWanted])).toEqual([
    ["refused", true],
    ["accepted", true],
  ]);
  expect(tried[0]?.command.join(" ")).toContain("modulesList");
  expect(tried[1]?.command.join(" ")).toContain('"engineVersion":"major"');
});

test("versions of another type of database are not tried, nor databases of one", async () => {
  const ofOther = (object: KubeObject): KubeObject => {
    const { metadata, kind } = object;
    if (kind === defaultNames.ec.kind) {
      const bundledDatabaseVersions = [
        { dbType: "engine", version: "7.2" },
        { dbType: "engine", version: "7.4" },
        { dbType: "memcached", version: "1.6" },
      ];
      return { ...object, status: { bundledDatabaseVersions } };
    }
    const isFirst = kind === defaultNames.edb.kind && metadata.name === "orders";
    return isFirst ? { ...object, spec: { type: "memcached", memorySize: "1GB" } } : object;
  };
  const { tried } = await edits(refusing("9.9", "1.6"), { change: ofOther });
  expect(tried.map(({ asWanted }) => asWanted)).toEqual([true, true]);
  expect(tried.map(({ command }) => command[2])).toEqual(["sessions", "sessions"]);
  expect(tried[1]?.command.join(" ")).toContain('"7.4"');
});

test("a cluster without a database that is checked has nothing to edit", async () => {
  const { tried } = await edits(refusing(), {
    without: ({ metadata, kind }) =>
      kind === "EngineEnterpriseDatabase" && metadata.namespace === "shop",
  });
  expect(tried).toEqual([]);
});

test.each<[string, ApiError, string]>([
  [
    "several causes, each once",
    new ApiError("m", {
      status: 422,
      reason: "Invalid",
      causes: [
        { field: "a", message: "x" },
        { field: "b", message: "y" },
        { field: "a", message: "x" },
      ],
    }),
    'The K "n" is invalid: \n* a: x\n* b: y',
  ],
  ["no cause", new ApiError("m", { status: 422, reason: "Invalid" }), 'The K "n" is invalid'],
  [
    "any other refusal",
    new ApiError("no", { status: 403, reason: "Forbidden" }),
    "Error from server (Forbidden): no",
  ],
  ["one without a reason", new ApiError("no", { status: 500 }), "Error from server: no"],
])("kubectl's words: %s", (_, error, words) => {
  expect(kubectlSays(error, "K", "n")).toBe(words);
});
