/** The probe: where it goes, what it counts, and what it calls by its name. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath, getOwn } from "../../../../plugin/domain/base/values";
import type { ProbePair } from "../../../../plugin/domain/admission/probe";
import { aDatabase, aNamespace, resourceOf } from "../../../support/builders";
import type { Call } from "../../../support/kept-cluster";
import { judgesAll, type WebhookServer } from "../../../support/served-webhooks";
import {
  applyNew,
  codesOf,
  deleteOld,
  expectWanted,
  healthy,
  isWrite,
  newName,
  permissive,
  Scene,
} from "./scene";

const isProbe = ({ verb, dryRun, target }: Call): boolean =>
  (verb === "create" || verb === "update") && dryRun && target.startsWith("EngineEnterprise");

function probesOf(scene: Scene): readonly KubeObject[] {
  return scene.cluster.calls.filter(isProbe).map(({ object }) => object as KubeObject);
}

describe("what is sent", () => {
  test("pairs over fresh connections, in the operator's namespace, under a name of their own", async () => {
    const scene = new Scene({ new: true });
    await scene.run();
    const probes = scene.cluster.calls.filter(isProbe);
    expect(probes.length).toBeGreaterThan(5);
    for (const { target, options, dryRun } of probes) {
      expect(dryRun).toBe(true);
      expect(target).toMatch(/\/engine\/kubectl-engine-probe-1$/);
      expect(options).toMatchObject({ dryRun: true, fresh: true });
    }
  });

  test("where the namespaceSelector leaves the operator's out: a namespace that it selects", async () => {
    const scene = new Scene({
      new: { entry: { namespaceSelector: { matchLabels: { db: "x" } } } },
    });
    scene.world.put(aNamespace("unlabelled"));
    scene.world.put(aNamespace("databases", { db: "x" }));
    expect((await scene.run()).exit.code).toBe(0);
    expect(new Set(probesOf(scene).map(({ metadata }) => metadata.namespace))).toEqual(
      new Set(["databases"]),
    );
  });

  test("labels that the objectSelector asks for", async () => {
    const objectSelector = { matchExpressions: [{ key: "tier", operator: "In", values: ["a"] }] };
    const scene = new Scene({ new: { entry: { objectSelector } } });
    expect((await scene.run()).exit.code).toBe(0);
    expect(probesOf(scene).every(({ metadata }) => metadata.labels?.["tier"] === "a")).toBe(true);
  });

  test("only kinds that the API server serves", async () => {
    const scene = new Scene({ new: true });
    scene.world.served.splice(0, 1);
    expect((await scene.run()).exit.code).toBe(0);
    expect(new Set(probesOf(scene).map(({ kind }) => kind))).not.toContain(defaultNames.edb.kind);
  });
});

describe("how often it is sent", () => {
  test("there are 50 ms between two pairs, and as long as the pair took where answers are late", async () => {
    for (const [latencyMs, pause] of [
      [1, 50],
      [200, 400],
    ] as const) {
      const scene = new Scene({ new: true });
      scene.cluster.latencyMs = latencyMs;
      await scene.run();
      const { sleeps } = scene.clock;
      expect(Math.min(...sleeps)).toBe(pause);
    }
  });

  test.each([
    ["nothing is to be written", { new: true as const }],
    ["the old one is replaced", { old: true as const }],
  ])(
    "a server that is slow and right proves it, however few its answers are: %s",
    async (...row) => {
      const [, found] = row;
      const scene = new Scene(found);
      scene.cluster.latencyMs = 2_000;
      expect((await scene.run()).exit).toMatchObject({ code: 0 });
    },
  );

  test("while a write gets no answer for 90 s: at most 40 dry runs a second, and few are kept", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.latencyMs = 0;
    let during = 0;
    const apply = scene.cluster.apply.bind(scene.cluster);
    scene.cluster.apply = async (object, options) => {
      if (options.dryRun === true) return await apply(object, options);
      const [from, until] = [probesOf(scene).length, scene.clock.now() + 90_000];
      await new Promise<void>((resolve) => {
        scene.clock.beforeSleep = () => {
          if (scene.clock.now() >= until) resolve();
        };
      });
      during = probesOf(scene).length - from;
      return await apply(object, options);
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(during).toBeGreaterThan(1_000);
    expect(during).toBeLessThanOrEqual(2 * 20 * 90 + 2);
    const [kept = 0] = /^\d+/.exec(report.gap?.method ?? "")?.map(Number) ?? [];
    expect(kept).toBeLessThan(during);
  });
});

describe("no edit can prove the webhook: 3 before any write", () => {
  const unsatisfiable = {
    matchExpressions: [
      { key: "a", operator: "Exists" },
      { key: "a", operator: "DoesNotExist" },
    ],
  };
  test.each<[string, object, string]>([
    [
      "no namespace is selected",
      { namespaceSelector: { matchLabels: { no: "one" } } },
      "PROBE-NO-MATCH",
    ],
    ["no object can be selected", { objectSelector: unsatisfiable }, "PROBE-NO-MATCH"],
  ])("%s", async (_title, entry, code) => {
    const scene = new Scene({ old: { entry } as { entry: Readonly<Record<string, unknown>> } });
    const report = await scene.run();
    expect(report.exit).toMatchObject({
      code: 3,
      next: expect.stringContaining("--no-probe") as string,
    });
    expect(codesOf(report)).toContain(code);
    expect(scene.cluster.written).toEqual([]);
  });

  test("no kind is served", async () => {
    const scene = new Scene({ old: true });
    scene.world.served.splice(0);
    const report = await scene.run();
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual(["PROBE-NO-KIND"]);
    expect(scene.cluster.written).toEqual([]);
  });
});

describe("--no-probe", () => {
  test("sends none, and reports no gap", async () => {
    const scene = new Scene({ old: true });
    const report = await scene.run({ probe: false });
    expect(report.exit.code).toBe(0);
    expect(probesOf(scene)).toEqual([]);
    expect(report.probes).toBeUndefined();
    expect(report.gap).toBeUndefined();
    expect(scene.cluster.written).toEqual([applyNew, deleteOld]);
    expectWanted(scene);
  });

  test("of a dry run, and of a state up to date, are nothing either", async () => {
    const scene = new Scene({ new: true });
    expect((await scene.run({ probe: false, dryRun: "server" })).exit.code).toBe(0);
    expect((await scene.run({ probe: false })).exit.code).toBe(0);
    expect(probesOf(scene)).toEqual([]);
  });
});

describe("a server that checks other things than ours", () => {
  test.each<[string, (object: KubeObject) => string | undefined]>([
    ["evictionPolicy alone", (object) => text(object, "evictionPolicy")],
    ["modules alone", (object) => text(object, "modulesList")],
    ["engineVersion alone", (object) => text(object, "engineVersion")],
  ])("%s is proof", async (_title, judge) => {
    const scene = new Scene({ old: true });
    scene.world.servers.set("engine/admission", { ...healthy, judge });
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0 });
  });
});

function text(object: KubeObject, field: string): string | undefined {
  const spec = getPath(object, ["spec"]);
  const bad = getOwn(spec, field) ?? getPath(spec, ["globalConfigurations", field]);
  return bad === undefined ? undefined : `${field} is bad`;
}

describe("a refusal by someone else is named, not counted:", () => {
  test("a schema that wants more than the fresh object has: a stored database is the probe", async () => {
    const scene = new Scene({ old: true });
    scene.world.put(aDatabase("engine", "db1"));
    scene.world.schema = ({ metadata, kind }) =>
      kind === defaultNames.edb.kind && metadata.name !== "db1"
        ? "spec.memorySize: Required value"
        : undefined;
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expectWanted(scene);
    const updates = scene.cluster.calls.filter(({ verb }) => verb === "update");
    expect(updates.length).toBeGreaterThan(5);
    expect(updates.every(({ dryRun }) => dryRun)).toBe(true);
  });

  test("the stored database is read again for every probe: its operator writes to it", async () => {
    const scene = new Scene({ new: true });
    scene.world.put(aDatabase("engine", "db1"));
    scene.world.schema = ({ metadata }) => (metadata.name === "db1" ? undefined : "Required value");
    let status = 0;
    scene.cluster.after = ({ verb }) => {
      if (verb !== "update") return;
      status += 1;
      scene.world.put({ ...aDatabase("engine", "db1"), status: { n: status } });
    };
    expect((await scene.run()).exit.code).toBe(0);
  });

  test.each<[string, (scene: Scene) => void]>([
    ["there is none", () => {}],
    [
      "the only one is being deleted",
      ({ world }) =>
        world.put(aDatabase("engine", "db1", { deletionTimestamp: "2026-08-01T00:00:00Z" })),
    ],
    [
      "they may not be listed",
      (scene) => {
        scene.onCall(
          ({ verb, target }) => verb === "list" && target.startsWith("EngineEnterprise"),
          () => {
            throw new ApiError("forbidden", { status: 403 });
          },
        );
      },
    ],
  ])("without a stored database (%s): 7, named", async (_title, arrange) => {
    const scene = new Scene({ old: true });
    arrange(scene);
    scene.world.schema = ({ metadata }) =>
      metadata.name === "db1" ? undefined : "spec.memorySize: Required value";
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(report.exit.reason).toContain("refused by something else");
    expect(report.exit.reason).toContain("spec.memorySize: Required value");
    expect(scene.live()).toBeUndefined();
    expect(scene.old()).toBeDefined();
  });

  test("a fault while listing stored ones continues", async () => {
    const scene = new Scene({ new: true });
    scene.world.schema = () => "Required value";
    scene.onCall(
      ({ verb, target }) => verb === "list" && target.startsWith("EngineEnterprise"),
      () => {
        throw new TypeError("a bug");
      },
    );
    await expect(scene.run()).rejects.toThrow("a bug");
  });

  test("an interrupt while listing stored ones is one", async () => {
    const scene = new Scene({ new: true });
    scene.world.schema = () => "Required value";
    scene.onCall(
      ({ verb, target }) => verb === "list" && target.startsWith("EngineEnterprise"),
      () => {
        scene.interrupt();
        throw new UnavailableError("socket hang up");
      },
    );
    expect((await scene.run()).exit.code).toBe(130);
  });

  test("another webhook that refuses the good twin: 3 before the first write, with its name", async () => {
    const scene = new Scene({ old: true });
    scene.world.put({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "policy" },
      webhooks: [
        {
          name: "policy.example.com",
          sideEffects: "None",
          clientConfig: { service: { name: "policy", namespace: "engine" }, caBundle: "eA==" },
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"] }],
        },
      ],
    });
    scene.world.put({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "policy", namespace: "engine" },
    });
    scene.world.servers.set("engine/policy", { ca: "eA==", judge: () => "no label team" });
    const report = await scene.run();
    expect([report.exit.code, scene.cluster.written]).toEqual([3, []]);
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        code: "PROBE-REFUSED",
        object: "webhook/policy.example.com",
        fix: expect.stringContaining("--probe-file") as string,
      }),
    );
    // not one of its refusals counts as the old one's
    expect(report.probes?.[0]?.deny.by).toContain("webhook policy.example.com");
    expect((await scene.run({ probe: false })).exit.code).toBe(0);
  });

  describe("a policy", () => {
    const refusing = (scene: Scene, hits: (spec: Record<string, unknown>) => boolean): void => {
      const { before } = scene.cluster;
      scene.cluster.before = (call) => {
        before(call);
        const { verb, object } = call;
        const { kind, spec } = (object ?? {}) as { kind?: string; spec?: Record<string, unknown> };
        if (verb !== "create" || kind !== defaultNames.edb.kind || !hits(spec ?? {})) return;
        const policy =
          "ValidatingAdmissionPolicy 'shop-rules' with binding 'all' denied request: no";
        throw new ApiError(`databases "x" is forbidden: ${policy}`, { status: 422 });
      };
    };
    const isBad = (spec: Record<string, unknown>): boolean => Object.keys(spec).length > 0;

    test.each<[string, (spec: Record<string, unknown>) => boolean, string]>([
      ["that refuses the good edit", () => true, "PROBE-REFUSED"],
      ["that refuses every bad edit", isBad, "PROBE-HIDDEN"],
    ])("%s: 3 before the first write, named by its kind", async (_title, hits, code) => {
      const scene = new Scene({ old: true });
      refusing(scene, hits);
      const report = await scene.run();
      expect([report.exit.code, scene.cluster.written]).toEqual([3, []]);
      expect(report.findings).toContainEqual(
        expect.objectContaining({ code, object: "ValidatingAdmissionPolicy/shop-rules" }),
      );
      expect(report.gap?.bypassSeconds ?? 0).toBe(0);
      expect((await scene.run({ dryRun: "client" })).exit.code).toBe(3);
    });

    test("that refuses one of the bad edits is no hindrance", async () => {
      const scene = new Scene({ old: true });
      refusing(scene, (spec) => spec["engineVersion"] !== undefined);
      const report = await scene.run();
      expect(report.exit.code).toBe(0);
      expect(report.gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0 });
    });
  });

  describe("a webhook that answers before ours", () => {
    const mutating = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "shop" },
      webhooks: [{ name: "defaults.shop.example" }],
    };
    /** The answer to a bad edit, as long as it is wanted. */
    const first = (scene: Scene, answer: string, isFirst: () => boolean = () => true): void => {
      const { before } = scene.cluster;
      scene.cluster.before = (call) => {
        before(call);
        const spec = (call.object as { spec?: object } | undefined)?.spec ?? {};
        if (!isProbe(call) || Object.keys(spec).length === 0 || !isFirst()) return;
        throw new ApiError(answer, { status: answer.startsWith("Internal") ? 500 : 400 });
      };
    };
    const denied = 'admission webhook "defaults.shop.example" denied the request: no such version';
    const down = 'Internal error occurred: failed calling webhook "defaults.shop.example": EOF';

    test.each<[string, ConstructorParameters<typeof Scene>[0], string, readonly KubeObject[]]>([
      ["refuses every bad edit", { old: true }, denied, []],
      ["fails every bad edit", { old: true }, down, []],
      ["refuses every bad edit, ours is up to date", { new: true }, denied, []],
      ["mutates, and ours is not there yet", undefined, denied, [mutating]],
    ])(
      "%s: 3 before the first write, in dry runs as well",
      async (_, ...[laid, answer, objects]) => {
        const scene = new Scene(laid);
        for (const object of objects) scene.world.put(object);
        first(scene, answer);
        for (const dryRun of ["none", "client", "server"] as const) {
          // a dry run over what is up to date has nothing to plan, and is probed as well
          const report = await scene.run({ dryRun });
          expect([report.exit.code, scene.cluster.written]).toEqual([3, []]);
          expect(report.findings).toContainEqual(
            expect.objectContaining({
              code: "PROBE-HIDDEN",
              object: "webhook/defaults.shop.example",
              fix: expect.stringContaining("--probe-file") as string,
            }),
          );
        }
        expect((await scene.run({ probe: false })).exit.code).toBe(0);
      },
    );

    test("by chance a few times is no hindrance", async () => {
      const scene = new Scene({ old: true });
      let times = 0;
      first(scene, denied, () => (times += 1) <= 6);
      expect((await scene.run()).exit.code).toBe(0);
    });

    test.each<[string, (scene: Scene) => void]>([
      ["one that only validates", () => undefined],
      [
        "one that nobody may look up",
        (scene) => {
          scene.onCall(
            ({ verb, target }) => verb === "list" && target.startsWith("Mutating"),
            () => {
              throw new ApiError("forbidden", { status: 403 });
            },
          );
        },
      ],
    ])(
      "%s, where ours is not there yet, may come second: the proof decides",
      async (_, arrange) => {
        const scene = new Scene();
        arrange(scene);
        first(scene, denied, () => scene.cluster.writes.length === 0);
        expect((await scene.run()).exit.code).toBe(0);
        expectWanted(scene);
      },
    );
  });

  test("what takes turns is told once for each state", async () => {
    const scene = new Scene();
    scene.world.servers.set("engine/admission", permissive);
    await scene.run();
    const waiting = scene.events.flatMap((event) => (event.type === "waiting" ? [event.on] : []));
    expect(new Set(waiting).size).toBe(waiting.length);
  });

  test("a webhook that does not support dry runs", async () => {
    const scene = new Scene({ new: true });
    scene.world.put({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "hostile" },
      webhooks: [
        {
          name: "hostile.example.com",
          sideEffects: "Some",
          clientConfig: { service: { name: "hostile", namespace: "engine" }, caBundle: "eA==" },
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], operations: ["*"] }],
        },
      ],
    });
    scene.world.put({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "hostile", namespace: "engine" },
    });
    const report = await scene.run();
    expect([report.exit.code, scene.cluster.written]).toEqual([3, []]);
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        code: "PROBE-REFUSED",
        object: "webhook/hostile.example.com",
        cause: expect.stringContaining("does not support dry run") as string,
      }),
    );
    expect(report.probes?.[0]).toMatchObject({ accept: { ok: 0 } });
  });
});

describe("every kind that was guarded before is guarded after", () => {
  const eaadb = defaultNames.eaadb.kind;
  const differs = { entry: { admissionReviewVersions: ["v1"] } };
  const forgetsEaadb: WebhookServer = {
    ...healthy,
    judge: (object) => (object.kind === eaadb ? undefined : judgesAll(object)),
  };

  test("each kind that was seen refused is proven by itself", async () => {
    const scene = new Scene({ new: differs });
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.probes?.map(({ phase }) => phase)).toEqual(["before", "new", `new: ${eaadb}`]);
    const proof = report.probes?.at(-1);
    expect(proof?.deny).toMatchObject({ by: defaultNames.webhook.entry, ok: proof?.deny.of });
  });

  test("one that is no longer refused ends with 7, and what was there is back", async () => {
    const scene = new Scene({ new: differs });
    const before = scene.live();
    scene.afterCall(isWrite("apply"), () => {
      scene.world.servers.set("engine/admission", forgetsEaadb);
    });
    const report = await scene.run();
    expect(report.exit).toMatchObject({
      code: 7,
      reason: expect.stringContaining("an edit that must be refused passes") as string,
    });
    expect(scene.cluster.written).toEqual([applyNew, applyNew]);
    expect(scene.live()?.["webhooks"]).toEqual(before?.["webhooks"]);
  });

  test("one that the server never checked is asked for nothing", async () => {
    const scene = new Scene({ new: differs });
    scene.world.servers.set("engine/admission", forgetsEaadb);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.probes?.map(({ phase }) => phase)).toEqual(["before", "new"]);
  });

  test("one that the old configuration guarded, too", async () => {
    const rule = {
      apiGroups: [defaultNames.group],
      apiVersions: ["*"],
      operations: ["*"],
      resources: ["*"],
    };
    const scene = new Scene({ old: { entry: { rules: [rule] } } });
    const report = await scene.run();
    expect(report.probes?.map(({ phase }) => phase)).toEqual([
      "before",
      "new",
      "after",
      `after: ${eaadb}`,
    ]);
  });
});

describe("a pair of one's own (--probe-file)", () => {
  const resource = resourceOf(defaultNames.edb);
  const object = (spec: object): KubeObject => ({
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name: "mine", namespace: "engine" },
    spec,
  });
  const pair: ProbePair = {
    kind: resource.kind,
    resource: { ...resource, plural: "guessed" },
    accept: object({}),
    denies: [{ what: "the second object of pair.yaml", object: object({ custom: "bad" }) }],
  };
  const judge = (one: KubeObject): string | undefined => text(one, "custom");

  test("alone is sent, and is proof where its bad one is refused", async () => {
    const scene = new Scene({ old: true });
    scene.world.servers.set("engine/admission", { ...healthy, judge });
    const report = await scene.run({ probePair: pair });
    expect(report.exit.code).toBe(0);
    expect(new Set(probesOf(scene).map(({ metadata }) => metadata.name))).toEqual(
      new Set(["mine"]),
    );
    scene.world.servers.set("engine/admission", healthy);
    expect((await scene.run({ probePair: pair })).exit.code).toBe(7);
  });

  test("the permission to send it is asked for under the served plural", async () => {
    const scene = new Scene({ new: true });
    scene.world.servers.set("engine/admission", { ...healthy, judge });
    await scene.run({ probePair: pair });
    const asked = scene.cluster.calls
      .filter(({ verb }) => verb === "can")
      .map(({ target }) => target);
    expect(asked).toContain("create engineenterprisedatabases");
    expect(asked).not.toContain("create guessed");
  });

  test("of a kind that is not served keeps the guessed plural, and is no proof", async () => {
    const scene = new Scene({ new: true });
    scene.world.served.splice(0);
    const report = await scene.run({ probePair: pair });
    expect(report.exit.code).toBe(7);
    expect(report.exit.reason).toContain("serves no kind");
  });
});

describe("while probing", () => {
  test("one cut connection is no verdict", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(
      (call) => isProbe(call) && scene.cluster.writes.length === 1,
      () => {
        throw new UnavailableError("socket hang up");
      },
    );
    expect((await scene.run()).exit.code).toBe(0);
  });

  test("a server that stays away ends the run with 69, the state described", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.before = (call) => {
      if (isProbe(call) && scene.cluster.writes.length > 0) {
        throw new UnavailableError("connection refused");
      }
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(69);
    expect(report.exit.reason).toContain(
      "the new configuration is written and not yet proven, the old one is untouched",
    );
    scene.cluster.before = () => {};
    expect((await scene.run()).exit.code).toBe(0);
    expectWanted(scene);
  });

  test("a fault of the program continues, after the write under way was finished", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(
      (call) => isProbe(call) && scene.journal.length === 1, // said, not yet done
      () => {
        throw new TypeError("a bug");
      },
    );
    await expect(scene.run()).rejects.toThrow("a bug");
    expect(scene.journal).toEqual([applyNew, `${applyNew}: done`]);
    expect(scene.live()?.metadata.name).toBe(newName);
  });

  test("a webhook that is slow to take over is waited for", async () => {
    const scene = new Scene({ old: true });
    let rounds = 0;
    scene.world.servers.set("engine/admission", {
      ...healthy,
      judge: (object) => {
        rounds += 1;
        return rounds > 50 && rounds < 150 ? undefined : healthy.judge(object);
      },
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.gap?.bypassSeconds).toBeGreaterThan(0);
    expect(scene.events.some(({ type }) => type === "waiting")).toBe(true);
  });

  test("the old one's refusal alone does not prove the new one", async () => {
    const scene = new Scene({ old: true });
    scene.world.served.splice(1); // databases alone: the old entry matches them too
    scene.world.servers.set("new/admission", permissive);
    scene.world.servers.set("engine/admission", {
      ...healthy,
      judge: (object) => (scene.live() === undefined ? healthy.judge(object) : undefined),
    });
    expect((await scene.run()).exit.code).not.toBe(0);
  });

  test("where both entries match, the new one has to be seen refusing", async () => {
    const scene = new Scene({ old: true });
    scene.world.served.splice(1);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    const proof = report.probes?.find(({ phase }) => phase === "new");
    expect(proof?.deny.by).toBe("edb.admission.engine, redisenterprise.admission.engine");
  });
});
