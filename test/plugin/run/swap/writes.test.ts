import { ApiError, UnavailableError } from "../../../../plugin/domain/errors";
import { aNewConfiguration, anOldConfiguration, testCa } from "../../../support/builders";
import {
  applyNew,
  aSwap,
  codesOf,
  createOld,
  deleteNew,
  deleteOld,
  down,
  expectWanted,
  healthy,
  isWrite,
  newName,
  permissive,
  Scene,
  stepsOf,
} from "./scene";
import type { Journal } from "../../../../plugin/run/engine/journal";
import { swapWebhook } from "../../../../plugin/run/swap/swap";
import { expectGolden } from "../../../support/golden";
import type { Call } from "../../../support/fake-cluster";

const kind = "ValidatingWebhookConfiguration";
const cut = (): never => {
  throw new UnavailableError("socket hang up");
};

describe("fields that others hold", () => {
  const conditional = { matchConditions: [{ name: "all", expression: "true" }] };
  const tuned = aNewConfiguration({ caBundle: "eA==" });

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

  test("nobody: no force", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
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

  test("a field that another manager added, and an apply cannot remove: 5", async () => {
    const scene = new Scene();
    scene.cluster.put(aNewConfiguration(), "kubectl-engine");
    scene.cluster.put(aNewConfiguration({ entry: conditional }), "other-operator");
    const report = await scene.run({ takeTemplateSelectors: true });
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toEqual(["FIELD-LEFT-OVER"]);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the same from a person: the whole object is replaced, bound to what was read", async () => {
    const scene = new Scene({ new: { entry: conditional } });
    const { uid, resourceVersion } = scene.live()?.metadata ?? {};
    expect((await scene.run({ takeTemplateSelectors: true })).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([`update ${kind}/${newName}`]);
    expect(scene.cluster.writes[0]?.object).toMatchObject({ metadata: { uid, resourceVersion } });
    expect(scene.entry()).not.toHaveProperty("matchConditions");
  });

  test("replacing needs its own permission: 4 without, nothing written", async () => {
    const scene = new Scene({ new: { entry: conditional } });
    scene.cluster.lacks = ({ verb, resource }) =>
      verb === "update" && resource === "validatingwebhookconfigurations";
    expect((await scene.run({ takeTemplateSelectors: true })).exit.code).toBe(4);
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
});

describe("changed since it was read", () => {
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

  test("into something owned by someone else: 5", async () => {
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
      "deleted and recreated",
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

  test("each outcome is noted, the failed one with its code", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("delete"), cut);
    await scene.run();
    expect(scene.journal.at(-1)).toBe(`${deleteOld}: failed: UNAVAILABLE`);
  });

  test("a fault of the program is noted as failed and continues", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("apply"), () => {
      throw new TypeError("a bug");
    });
    await expect(scene.run()).rejects.toThrow("a bug");
    expect(scene.journal.at(-1)).toBe(`${applyNew}: failed`);
  });
});

/** From the write on, the server behind the Service is another one. */
function breakAfter(scene: Scene, verb: Call["verb"], server = permissive): void {
  scene.afterCall(isWrite(verb), () => {
    scene.cluster.servers.set("engine/admission", server);
  });
}

/** The server is well again as soon as the rollback begins. */
function mendOn(scene: Scene, target: string): void {
  const well = scene.cluster.servers.get("engine/admission");
  scene.onCall(
    ({ verb, target: written, dryRun }) => !dryRun && `${verb} ${written}` === target,
    () => {
      if (well !== undefined) scene.cluster.servers.set("engine/admission", well);
    },
  );
}

describe("7: what was there before is back, and proven", () => {
  test("only old: the new one lets everything pass, and is deleted again", async () => {
    const scene = new Scene({ old: true });
    const before = scene.old();
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect(scene.live()).toBeUndefined();
    expect(scene.old()).toEqual(before);
    expect(report.probes?.at(-1)).toMatchObject({
      phase: "rolled-back",
      deny: { by: "edb.admission.engine" },
    });
    expectGolden("upgrade-webhook/rollback.json", report);
  });

  test("the reason says why no denial was seen", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    expect((await scene.run()).exit.reason).toContain(
      "an edit that must be refused passes: no webhook in force refuses it",
    );
  });

  test("a webhook that does not answer behind ready endpoints is named", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply", down);
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(report.exit.reason).toContain(
      "the webhook redisenterprise.admission.engine does not answer",
    );
  });

  test("the old one was deleted already: it comes back before the new one goes", async () => {
    const scene = new Scene({ old: true });
    const before = scene.old();
    mendOn(scene, createOld);
    breakAfter(scene, "delete");
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteOld, createOld, deleteNew]);
    expect(scene.old()?.["webhooks"]).toEqual(before?.["webhooks"]);
    expect(scene.live()).toBeUndefined();
    expect(stepsOf(report)).toContain("rollback.restore: created");
  });

  test("only new, to be repaired: the content before comes back", async () => {
    const scene = new Scene({ new: { entry: { failurePolicy: "Ignore" } } });
    const before = scene.live();
    breakAfter(scene, "apply");
    scene.onCall(
      (call) => isWrite("apply")(call) && scene.cluster.writes.length > 1,
      () => {
        scene.cluster.servers.set("engine/admission", healthy);
      },
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, applyNew]);
    expect(scene.live()?.["webhooks"]).toEqual(before?.["webhooks"]);
  });

  test("nothing worked before: nothing more is proven than that it reads back as saved", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    const before = scene.live();
    scene.cluster.servers.set("engine/admission", permissive);
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.live()?.["webhooks"]).toEqual(before?.["webhooks"]);
    expect(report.probes?.map(({ phase }) => phase)).toEqual(["before", "new"]);
  });

  test("a record that cannot be kept does not stop it", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    const deps = scene.deps();
    const intent: Journal["intent"] = (line) =>
      scene.cluster.written.length === 0
        ? deps.journal.intent(line)
        : Promise.reject(new UnavailableError("no space left on device"));
    const report = await swapWebhook({ ...deps, journal: { ...deps.journal, intent } }, aSwap());
    expect(report.exit.code).toBe(7);
    expect(scene.live()).toBeUndefined();
  });

  test("none before: none after", async () => {
    const scene = new Scene();
    scene.cluster.servers.set("engine/admission", permissive);
    expect((await scene.run()).exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect(scene.live()).toBeUndefined();
  });

  test("a broken old one that had to go first is put back", async () => {
    const everything = [
      { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] },
    ];
    const scene = new Scene({ old: { caBundle: "", entry: { rules: everything } } });
    const before = scene.old();
    scene.cluster.servers.set("engine/admission", permissive);
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteOld, createOld, deleteNew]);
    expect(scene.old()?.["webhooks"]).toEqual(before?.["webhooks"]);
  });

  test("beside a broken old one the new one fails its own kind: nothing else is touched", async () => {
    const scene = new Scene({ old: { caBundle: "" } });
    scene.cluster.servers.set("engine/admission", permissive);
    expect((await scene.run()).exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect(scene.old()).toBeDefined();
  });

  test("nothing was written: 7 says so", async () => {
    const scene = new Scene({ new: true });
    scene.cluster.servers.set("engine/admission", down);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 7, next: expect.any(String) as string });
    expect(report.exit.reason).toContain("; nothing was changed");
    expect(scene.cluster.written).toEqual([]);
  });

  test("an interrupt does not cut the proof of a rollback short", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    scene.afterCall(
      (call) => isWrite("delete")(call),
      () => {
        scene.interrupt();
      },
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(report.probes?.at(-1)?.phase).toBe("rolled-back");
  });
});

describe("interrupted while the new one fails where the old one worked", () => {
  test("what was there before is put back, the exit code stays that of the interrupt", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply", down);
    scene.cluster.served.splice(1); // databases alone: the watched kind shows the harm
    // while the proof is waited for: the pause after a round that has shown the harm
    let pauses = 0;
    scene.clock.beforeSleep = () => {
      if (scene.cluster.written.includes(applyNew) && (pauses += 1) > 1) scene.interrupt();
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(130);
    expect(report.exit.reason).toContain("the change was rolled back");
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect(scene.old()).toBeDefined();
  });
});

describe("8: the rollback is incomplete, and the manual steps are printed", () => {
  test("what was put back does not work as before", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "apply");
    const report = await scene.run();
    expect(report.exit.code).toBe(8);
    expect(report.exit.reason).toContain("what was put back does not work as before");
  });

  test("the new one was changed in the meantime and stays", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "apply");
    scene.onCall(isWrite("delete"), () => {
      const live = scene.live();
      if (live !== undefined) {
        scene.cluster.put({ ...live, metadata: { ...live.metadata, labels: { by: "other" } } });
      }
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(8);
    expect(report.exit.next).toContain(
      "kubectl delete validatingwebhookconfiguration engine-enterprise-admission",
    );
    expect(scene.live()?.metadata.labels).toEqual({ by: "other" });
  });

  test("the old one cannot be created again", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "delete");
    scene.onCall(isWrite("create"), () => {
      throw new ApiError("quota", { status: 403 });
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(8);
    expect(report.exit.next).toContain("kubectl create");
    expect(report.backups).toHaveLength(1);
  });

  test("the content before cannot be applied again", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    scene.cluster.servers.set("engine/admission", permissive);
    scene.onCall(
      (call) => isWrite("apply")(call) && scene.cluster.writes.length > 1,
      () => {
        throw new UnavailableError("connection refused");
      },
    );
    const report = await scene.run();
    expect(report.exit.code).toBe(8);
    expect(report.exit.next).toContain("kubectl replace");
  });

  test("it reads back otherwise than saved", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "delete");
    scene.afterCall(isWrite("create"), () => {
      const old = scene.old();
      if (old !== undefined) scene.cluster.put({ ...old, webhooks: [] });
    });
    const report = await scene.run();
    expect(report.exit.code).toBe(8);
    expect(report.exit.reason).toContain("reads back otherwise than saved");
  });

  test("a fault of the program itself is not dressed up as a rollback", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "apply");
    scene.onCall(isWrite("delete"), () => {
      throw new TypeError("a bug");
    });
    await expect(scene.run()).rejects.toThrow("a bug");
  });
});
