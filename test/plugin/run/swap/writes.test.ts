import { ApiError, TimeoutError, UnavailableError } from "../../../../plugin/domain/errors";
import type { EngineError } from "../../../../plugin/domain/errors";
import { aNewConfiguration, anOldConfiguration, testCa } from "../../../support/builders";
import {
  applyNew,
  codesOf,
  deleteOld,
  expectWanted,
  isWrite,
  newName,
  Scene,
  stepsOf,
} from "./scene";

const kind = "ValidatingWebhookConfiguration";
const cut = (): never => {
  throw new UnavailableError("socket hang up");
};

describe("fields that others hold", () => {
  const tuned = aNewConfiguration({ caBundle: "" });

  test.each([
    "kubectl-create",
    "kubectl-client-side-apply",
    "kubectl-edit",
    "kubectl-patch",
    "kubectl-replace",
    "kubectl",
    "oc",
    "before-first-apply",
    "engine-webhook",
  ])("%s is a person's or ours: one forced apply", async (manager) => {
    const scene = new Scene();
    scene.cluster.put(tuned, manager);
    const { uid, resourceVersion } = scene.live()?.metadata ?? {};
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew]);
    expect(scene.cluster.writes[0]).toMatchObject({
      options: { force: true },
      object: { metadata: { uid, resourceVersion } },
    });
    expectWanted(scene);
  });

  test("nobody else: no force", async () => {
    const scene = new Scene();
    scene.cluster.put(tuned, "kubectl-engine");
    await scene.run();
    expect(scene.cluster.writes[0]?.options).toMatchObject({ force: false });
  });

  test.each(["other-operator", "argocd-controller", "kubectlx"])(
    "%s is another manager: 5, named with the field, nothing written",
    async (manager) => {
      const scene = new Scene();
      scene.cluster.put(tuned, manager);
      const report = await scene.run();
      expect(report.exit.code).toBe(5);
      expect(report.findings).toContainEqual(
        expect.objectContaining({
          code: "FIELD-CONFLICT",
          field: `.webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`,
          cause: expect.stringContaining(`manager "${manager}"`) as string,
        }),
      );
      expect(scene.cluster.written).toEqual([]);
    },
  );

  test("another manager's field is taken with --take-fields", async () => {
    const scene = new Scene();
    scene.cluster.put(tuned, "other-operator");
    const takeFields = [`webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`];
    expect((await scene.run({ takeFields })).exit.code).toBe(0);
    expectWanted(scene);
  });

  test("a field that another manager added, and an apply cannot take away: 5", async () => {
    const scene = new Scene();
    scene.cluster.put(aNewConfiguration(), "kubectl-engine");
    scene.cluster.put(aNewConfiguration({ entry: { futureField: 1 } }), "other-operator");
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toEqual(["FIELD-LEFT-OVER"]);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the same from a person: the whole object is replaced, bound to what was read", async () => {
    const scene = new Scene({ new: { entry: { futureField: 1 } } });
    const { uid, resourceVersion } = scene.live()?.metadata ?? {};
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([`update ${kind}/${newName}`]);
    expect(scene.cluster.writes[0]?.object).toMatchObject({ metadata: { uid, resourceVersion } });
    expect(scene.entry()).not.toHaveProperty("futureField");
  });

  test("replacing needs its own permission: 4 without, nothing written", async () => {
    const scene = new Scene({ new: { entry: { futureField: 1 } } });
    scene.cluster.lacks = ({ verb, resource }) =>
      verb === "update" && resource === "validatingwebhookconfigurations";
    expect((await scene.run()).exit.code).toBe(4);
    expect(scene.cluster.written).toEqual([]);
  });

  test("a url of the live entry goes, since it and the service exclude each other", async () => {
    const scene = new Scene({
      new: { entry: { clientConfig: { url: "https://x", caBundle: "" } } },
    });
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.entry()).toMatchObject({ clientConfig: { caBundle: testCa } });
    expect(scene.entry()).not.toHaveProperty("clientConfig.url");
  });

  test("a refusal of the dry-run apply ends the run before the first write", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(
      ({ verb }) => verb === "apply",
      () => {
        throw new ApiError("denied by policy", { status: 422 });
      },
    );
    expect((await scene.run()).exit).toMatchObject({ code: 1, reason: "denied by policy" });
    expect(scene.cluster.written).toEqual([]);
  });

  test("changed between reading and the dry run: read and planned again, one write", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    scene.onCall(
      ({ verb }) => verb === "apply",
      () => {
        scene.cluster.put(aNewConfiguration({ caBundle: "eA==" }));
      },
    );
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew]);
    expectWanted(scene);
  });
});

describe("changed since it was read", () => {
  test("before the apply: read and planned again", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    scene.onCall(isWrite("apply"), () => {
      scene.cluster.put(aNewConfiguration({ caBundle: "eA==", metadata: { labels: { by: "x" } } }));
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew, applyNew]);
    expect(scene.live()?.metadata.labels).toMatchObject({ by: "x" });
    expect(stepsOf(report).filter((step) => step.startsWith("webhook.apply"))).toEqual([
      "webhook.apply: failed",
      "webhook.apply: changed",
    ]);
    expectWanted(scene);
  });

  test("before the apply, into what is wanted: nothing more to apply", async () => {
    const scene = new Scene({ old: true, new: { caBundle: "" } });
    scene.onCall(isWrite("apply"), () => scene.cluster.put(aNewConfiguration()));
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew, deleteOld]);
    expectWanted(scene);
  });

  test("before the apply, by a run that has done everything", async () => {
    const scene = new Scene({ old: true, new: { caBundle: "" } });
    scene.onCall(isWrite("apply"), () => {
      scene.cluster.put(aNewConfiguration());
      scene.cluster.drop(kind, "edb-admission");
    });
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew]);
  });

  test("into something owned by somebody else: 5", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    scene.onCall(isWrite("apply"), () => {
      const labels = { "app.kubernetes.io/managed-by": "Helm" };
      scene.cluster.put(aNewConfiguration({ caBundle: "eA==", metadata: { labels } }));
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toContain("WEBHOOK-OWNED");
  });

  test("again and again: 5 after three attempts", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    const { cluster } = scene;
    cluster.before = (call) => {
      if (!isWrite("apply")(call)) return;
      cluster.put(aNewConfiguration({ caBundle: "", metadata: { labels: { n: String(call.n) } } }));
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(cluster.written).toEqual([applyNew, applyNew, applyNew]);
  });

  test("between the apply and reading it back: planned and written again", async () => {
    const scene = new Scene();
    scene.afterCall(isWrite("apply"), () => scene.cluster.put(aNewConfiguration({ caBundle: "" })));
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew, applyNew]);
    expectWanted(scene);
  });

  test("deleted between the apply and reading it back: written again", async () => {
    const scene = new Scene();
    scene.afterCall(isWrite("apply"), () => {
      scene.cluster.drop(kind, newName);
    });
    expect((await scene.run()).exit.code).toBe(0);
    expectWanted(scene);
  });

  test.each<[string, (scene: Scene) => void]>([
    ["changed", ({ cluster }) => cluster.put(anOldConfiguration({ caBundle: "eA==" }))],
    [
      "deleted and made anew",
      ({ cluster }) => {
        cluster.drop(kind, "edb-admission");
        cluster.put(anOldConfiguration());
      },
    ],
    [
      "deleted",
      ({ cluster }) => {
        cluster.drop(kind, "edb-admission");
      },
    ],
  ])("the old one is %s before its deletion: 5, the new one stays", async (_title, act) => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("delete"), () => {
      act(scene);
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(report.exit.reason).toContain(
      "the new configuration is written and proven, the old one is untouched",
    );
    expect(scene.cluster.written).toEqual([applyNew, deleteOld]);
    expect((await scene.run()).exit.code).toBe(0);
    expectWanted(scene);
  });
});

describe("a write without an answer", () => {
  const errors: readonly [string, () => EngineError][] = [
    ["a cut connection", () => new UnavailableError("socket hang up")],
    ["a request timeout", () => new TimeoutError("request timed out")],
    ["an error of the server", () => new ApiError("etcdserver: timeout", { status: 504 })],
  ];

  test.each(errors)(
    "%s after the apply took effect: seen, and the run goes on",
    async (_t, error) => {
      const scene = new Scene({ old: true });
      scene.afterCall(isWrite("apply"), () => {
        throw error();
      });
      expect((await scene.run()).exit.code).toBe(0);
      expect(scene.cluster.written).toEqual([applyNew, deleteOld]);
      expectWanted(scene);
    },
  );

  test.each(errors)(
    "%s before the apply took effect: the run ends, a re-run resumes",
    async (_t, error) => {
      const scene = new Scene({ old: true });
      scene.onCall(isWrite("apply"), () => {
        throw error();
      });
      const report = await scene.run();
      expect([69, 124]).toContain(report.exit.code);
      expect(scene.live()).toBeUndefined();
      expect((await scene.run()).exit.code).toBe(0);
      expectWanted(scene);
    },
  );

  test.each(errors)(
    "%s after the deletion took effect: seen, and the run goes on",
    async (_t, error) => {
      const scene = new Scene({ old: true });
      scene.afterCall(isWrite("delete"), () => {
        throw error();
      });
      expect((await scene.run()).exit.code).toBe(0);
      expect(scene.cluster.written).toEqual([applyNew, deleteOld]);
      expectWanted(scene);
    },
  );

  test("a cut connection before the deletion took effect: 69, the state is described", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("delete"), cut);
    const report = await scene.run();
    expect(report.exit).toEqual({
      code: 69,
      reason:
        "the write of ValidatingWebhookConfiguration/edb-admission did not take effect: it got no answer, and the object read back does not show it; the new configuration is written and proven, the old one is untouched",
      next: "run the same command again: it resumes from the state of the cluster",
    });
    expect((await scene.run()).exit.code).toBe(0);
    expectWanted(scene);
  });

  test.each(["apply", "delete"] as const)(
    "%s: the server stays away: it is said that the outcome is unknown",
    async (verb) => {
      const scene = new Scene({ old: true });
      let away = false;
      scene.afterCall(isWrite(verb), () => {
        away = true;
        cut();
      });
      scene.cluster.before = () => {
        if (away) cut();
      };
      const report = await scene.run();
      expect(report.exit.code).toBe(69);
      expect(report.exit.reason).toContain("was sent, and whether it was done cannot be seen");
      expect(report.exit.reason).not.toContain("untouched");
      away = false;
      expect((await scene.run()).exit.code).toBe(0);
      expectWanted(scene);
    },
  );

  test("each outcome is noted, the failed one with its code", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("delete"), cut);
    await scene.run();
    expect(scene.journal.at(-1)).toBe(`${deleteOld}: failed: UNAVAILABLE`);
  });

  test("a fault of the program is noted as failed and goes on", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("apply"), () => {
      throw new TypeError("a bug");
    });
    await expect(scene.run()).rejects.toThrow("a bug");
    expect(scene.journal.at(-1)).toBe(`${applyNew}: failed`);
  });
});
