import { ApiError, UnavailableError } from "../../../../plugin/domain/errors";
import type { Journal } from "../../../../plugin/run/engine/journal";
import { swapWebhook } from "../../../../plugin/run/swap/swap";
import { expectGolden } from "../../../support/golden";
import type { Call } from "../../../support/fake-cluster";
import {
  applyNew,
  aSwap,
  createOld,
  deleteNew,
  deleteOld,
  down,
  healthy,
  isWrite,
  permissive,
  Scene,
  stepsOf,
} from "./scene";

/** From the write on, the server behind the Service is another one. */
function breakAfter(scene: Scene, verb: Call["verb"], server = permissive): void {
  scene.afterCall(isWrite(verb), () => {
    scene.cluster.servers.set("engine/admission", server);
  });
}

/** The server is well again as soon as the roll-back begins. */
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

  test("an interrupt does not cut the proof of a roll-back short", async () => {
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

describe("8: the roll-back is incomplete, and the manual steps are printed", () => {
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

  test("a fault of the program itself is not dressed up as a roll-back", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "apply");
    scene.onCall(isWrite("delete"), () => {
      throw new TypeError("a bug");
    });
    await expect(scene.run()).rejects.toThrow("a bug");
  });
});
