import { ApiError } from "../../../plugin/domain/errors";
import { defaultNames } from "../../../plugin/domain/names";
import { kubectlSays, tryEdits } from "../../../plugin/rehearsal/edits";
import { exampleSource } from "../../../plugin/rehearsal/example";
import type { Admission } from "../../../plugin/rehearsal/model";
import { judgeMoment } from "../../../plugin/rehearsal/moments";
import type { KubeObject } from "../../../plugin/run/ports";
import { aNewConfiguration } from "../../support/builders";
import { testTime } from "../../support/manual-clock";
import { aControlPlane, admin } from "./memory-cluster";

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

async function edits(admission: Admission, without: (object: KubeObject) => boolean = () => false) {
  const plane = aControlPlane(
    objects.filter((object) => !without(object)),
    admission,
  );
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
      answer: "engineenterprisedatabase.app.engine.com/orders patched (server dry run)",
    }),
  ]);
  expect(changes).toBe(0);
});

test("versions are tried from the newest on until one may be chosen", async () => {
  const { tried } = await edits(refusing("9.9", "7.2"));
  expect(tried[1]?.command.join(" ")).toContain('"engineVersion":"6.2"');
});

test("a bad edit that passes is not as wanted", async () => {
  const { tried } = await edits(refusing());
  expect(tried.map(({ asWanted }) => asWanted)).toEqual([false, true]);
});

test("good edits that are all refused are not as wanted either", async () => {
  const { tried } = await edits(refusing("9.9", "6.2", "7.2", "7.4"));
  expect(tried.map(({ asWanted }) => asWanted)).toEqual([true, false]);
});

test("a cluster without a database that is judged has nothing to edit", async () => {
  const { tried } = await edits(refusing(), ({ metadata, kind }) => {
    return kind === "EngineEnterpriseDatabase" && metadata.namespace === "shop";
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

describe("a moment", () => {
  const moment = (admission: Admission) => {
    const cluster = aControlPlane(objects, admission).connect({ user: admin, namespace: "engine" });
    return judgeMoment(cluster, defaultNames, "engine");
  };

  test("is fine when a bad edit is refused and a good one passes", async () => {
    expect(await moment(refusing("0.0"))).toBeUndefined();
  });

  test.each<[string, Admission, string]>([
    ["nobody refuses", refusing(), "a bad edit passed (unknown engineVersion)"],
    [
      "everything is refused",
      { admit: () => Promise.reject(denied("all")) },
      "a good edit was refused: admission webhook",
    ],
    [
      "calls fail",
      {
        admit: () => Promise.reject(new ApiError("failed calling webhook", { status: 500 })),
      },
      "a bad edit was not judged: failed calling webhook",
    ],
  ])("is not when %s", async (_, admission, why) => {
    expect(await moment(admission)).toContain(why);
  });
});
