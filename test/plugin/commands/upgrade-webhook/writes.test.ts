/** Writes that others meet: fields that they hold, what they change meanwhile, proofs that do not come. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import {
  aNewConfiguration,
  anOldConfiguration,
  ownerMarks,
  testCa,
} from "../../../support/builders";
import {
  applyNew,
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
  type Start,
  stepsOf,
} from "./scene";
import type { Journal } from "../../../../plugin/kernel/journal";
import { expectGolden } from "../../../support/golden";
import type { Call } from "../../../support/kept-cluster";

const kind = "ValidatingWebhookConfiguration";
const cut = (): never => {
  throw new UnavailableError("socket hang up");
};
const bug = (): never => {
  throw new TypeError("a bug");
};

describe("fields that others hold", () => {
  const conditional = { matchConditions: [{ name: "all", expression: "true" }] };
  const tuned = aNewConfiguration({ caBundle: "eA==" });
  const takeTemplateSelectors = true;

  test.each(["kubectl-create", "kubectl-edit", "oc", "before-first-apply", "engine-webhook"])(
    "%s is a person's or ours: one forced apply",
    async (manager) => {
      const scene = new Scene();
      scene.world.put(tuned, manager);
      const { uid, resourceVersion } = scene.live()?.metadata ?? {};
      expect((await scene.run()).exit.code).toBe(0);
      expect(scene.cluster.written).toEqual([applyNew]);
      expect(scene.cluster.writes[0]).toMatchObject({
        options: { force: true },
        object: { metadata: { uid, resourceVersion } },
      });
      expectWanted(scene);
    },
  );

  test("nobody: no force", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    await scene.run();
    expect(scene.cluster.writes[0]?.options).toMatchObject({ force: false });
  });

  test.each(["argocd-controller", "kubectlx"])(
    "%s is another manager: 5, named with the field, nothing written; --take-fields takes it",
    async (manager) => {
      const scene = new Scene();
      scene.world.put(tuned, manager);
      const report = await scene.run();
      expect(report.exit.code).toBe(5);
      const field = `webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`;
      const cause = expect.stringContaining(`manager "${manager}"`) as string;
      expect(report.findings).toContainEqual(
        expect.objectContaining({ code: "FIELD-CONFLICT", field: `.${field}`, cause }),
      );
      expect(scene.cluster.written).toEqual([]);
      expect((await scene.run({ takeFields: [field] })).exit.code).toBe(0);
      expectWanted(scene);
    },
  );

  test("a field that another manager added, and an apply cannot remove: 5", async () => {
    const scene = new Scene();
    scene.world.put(aNewConfiguration(), "kubectl-engine");
    scene.world.put(aNewConfiguration({ entry: conditional }), "other-operator");
    const report = await scene.run({ takeTemplateSelectors });
    expect([report.exit.code, codesOf(report)]).toEqual([5, ["FIELD-LEFT-OVER"]]);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the same from a person: the whole object is replaced, which needs its own permission", async () => {
    const scene = new Scene({ new: { entry: conditional } });
    const { uid, resourceVersion } = scene.live()?.metadata ?? {};
    scene.world.lacks = ({ verb, resource }) =>
      verb === "update" && resource === "validatingwebhookconfigurations";
    expect((await scene.run({ takeTemplateSelectors })).exit.code).toBe(4);
    expect(scene.cluster.written).toEqual([]);
    scene.world.lacks = () => false;
    expect((await scene.run({ takeTemplateSelectors })).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([`update ${kind}/${newName}`]);
    expect(scene.cluster.writes[0]?.object).toMatchObject({ metadata: { uid, resourceVersion } });
    expect(scene.entry()).not.toHaveProperty("matchConditions");
  });

  test("a url of the live entry goes, since it and the service exclude each other", async () => {
    const entry = { clientConfig: { url: "https://x", caBundle: "" } };
    const scene = new Scene({ new: { entry } });
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.entry()).toMatchObject({ clientConfig: { caBundle: testCa } });
    expect(scene.entry()).not.toHaveProperty("clientConfig.url");
  });
});

describe("changed since it was read", () => {
  const put = (changes: Parameters<typeof aNewConfiguration>[0]) => (scene: Scene) =>
    scene.world.put(aNewConfiguration(changes));
  const dropOld = ({ world }: Scene) => {
    world.drop(kind, "edb-admission");
  };

  test.each<[string, Start, "onCall" | "afterCall", (scene: Scene) => unknown, readonly string[]]>([
    [
      "before the apply, into what is wanted: nothing more to apply",
      { old: true, new: { caBundle: "" } },
      "onCall",
      put({}),
      [applyNew, deleteOld],
    ],
    [
      "before the apply, by a run that has done everything",
      { old: true, new: { caBundle: "" } },
      "onCall",
      (scene) => {
        put({})(scene);
        dropOld(scene);
      },
      [applyNew],
    ],
    [
      "between the apply and reading it back: planned and written again",
      {},
      "afterCall",
      put({ caBundle: "" }),
      [applyNew, applyNew],
    ],
    [
      "deleted between the apply and reading it back: written again",
      {},
      "afterCall",
      ({ world }) => {
        world.drop(kind, newName);
      },
      [applyNew, applyNew],
    ],
  ])("%s", async (_title, ...[start, when, act, written]) => {
    const scene = new Scene(start);
    scene[when](isWrite("apply"), () => act(scene));
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual(written);
    expectWanted(scene);
  });

  test("into something owned by someone else: 5", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    const metadata = ownerMarks.Helm;
    scene.onCall(isWrite("apply"), () => put({ caBundle: "eA==", metadata })(scene));
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toContain("WEBHOOK-OWNED");
  });

  test("again and again: 5 after three attempts", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    scene.cluster.before = (call) => {
      if (!isWrite("apply")(call)) return;
      put({ caBundle: "", metadata: { labels: { n: String(call.n) } } })(scene);
    };
    expect((await scene.run()).exit.code).toBe(5);
    expect(scene.cluster.written).toEqual([applyNew, applyNew, applyNew]);
  });

  test.each<[string, (scene: Scene) => unknown]>([
    ["changed", ({ world }) => world.put(anOldConfiguration({ caBundle: "eA==" }))],
    [
      "deleted and recreated",
      (scene) => {
        dropOld(scene);
        scene.world.put(anOldConfiguration());
      },
    ],
    ["deleted", dropOld],
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
    expect(scene.journal.at(-1)).toBe(`${deleteOld}: failed: UNAVAILABLE`);
    expect((await scene.run()).exit.code).toBe(0);
    expectWanted(scene);
  });

  test("a fault of the program is noted as failed and continues", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("apply"), bug);
    await expect(scene.run()).rejects.toThrow("a bug");
    expect(scene.journal.at(-1)).toBe(`${applyNew}: failed`);
  });
});

/** From the write on, the server behind the Service is another one. */
function breakAfter(scene: Scene, verb: Call["verb"], server = permissive): void {
  scene.afterCall(isWrite(verb), () => {
    scene.world.servers.set("engine/admission", server);
  });
}

/** The server is well again as soon as the rollback begins. */
function mendOn(scene: Scene, target: string): void {
  scene.onCall(
    ({ verb, target: written, dryRun }) => !dryRun && `${verb} ${written}` === target,
    () => scene.world.servers.set("engine/admission", healthy),
  );
}

/** Another server than the one that is wanted, from the start on. */
const served = (scene: Scene, server = permissive): unknown =>
  scene.world.servers.set("engine/admission", server);

const isSecondApply = (scene: Scene) => (call: Call) =>
  isWrite("apply")(call) && scene.cluster.writes.length > 1;

interface Back {
  readonly title: string;
  readonly start: Start;
  readonly arrange: (scene: Scene) => unknown;
  readonly written: readonly string[];
  readonly says?: string;
  /** Of the probes, where they tell something. */
  readonly phases?: readonly string[];
}

const everything = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }];

const backs: readonly Back[] = [
  {
    title: "the webhook does not answer behind ready endpoints, and is named",
    start: { old: true },
    arrange: (scene) => {
      mendOn(scene, deleteNew);
      breakAfter(scene, "apply", down);
    },
    written: [applyNew, deleteNew],
    says: "the webhook redisenterprise.admission.engine does not answer",
  },
  {
    title: "the old one was deleted already: it comes back before the new one goes",
    start: { old: true },
    arrange: (scene) => {
      mendOn(scene, createOld);
      breakAfter(scene, "delete");
    },
    written: [applyNew, deleteOld, createOld, deleteNew],
  },
  {
    title: "only new, to be repaired: the content before comes back",
    start: { new: { entry: { failurePolicy: "Ignore" } } },
    arrange: (scene) => {
      breakAfter(scene, "apply");
      scene.onCall(isSecondApply(scene), () => served(scene, healthy));
    },
    written: [applyNew, applyNew],
  },
  {
    title: "nothing worked before: nothing more is proven than that it reads back as saved",
    start: { new: { caBundle: "" } },
    arrange: (scene) => served(scene),
    written: [applyNew, applyNew],
    phases: ["before", "new"],
  },
  {
    title: "none before: none after",
    start: {},
    arrange: (scene) => served(scene),
    written: [applyNew, deleteNew],
  },
  {
    title: "a broken old one that had to go first is put back",
    start: { old: { caBundle: "", entry: { rules: everything } } },
    arrange: (scene) => served(scene),
    written: [applyNew, deleteOld, createOld, deleteNew],
  },
  {
    title: "beside a broken old one the new one fails its own kind: nothing else is touched",
    start: { old: { caBundle: "" } },
    arrange: (scene) => served(scene),
    written: [applyNew, deleteNew],
  },
  {
    title: "nothing was written, which is said",
    start: { new: true },
    arrange: (scene) => served(scene, down),
    written: [],
    says: "; nothing was changed",
  },
];

describe("7: what was there before is back", () => {
  test.each(backs)("$title", async ({ start, arrange, written, says = "", phases }) => {
    const scene = new Scene(start);
    const before = [scene.live()?.["webhooks"], scene.old()?.["webhooks"]];
    arrange(scene);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 7, next: expect.stringMatching(/./) as string });
    expect(report.exit.reason).toContain(says);
    expect(scene.cluster.written).toEqual(written);
    expect([scene.live()?.["webhooks"], scene.old()?.["webhooks"]]).toEqual(before);
    if (written.includes(createOld)) expect(stepsOf(report)).toContain("rollback.restore: created");
    if (phases) expect(report.probes?.map(({ phase }) => phase)).toEqual(phases);
  });

  test("only old: the new one lets everything pass, and is deleted again, which is proven", async () => {
    const scene = new Scene({ old: true });
    const before = scene.old();
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    const report = await scene.run();
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect([scene.live(), scene.old()]).toEqual([undefined, before]);
    // the proof of what was put back is the end of what was wrong
    expect(report.gap?.windows?.map(({ isOpen }) => isOpen)).toEqual([undefined]);
    expectGolden("upgrade-webhook/rollback.json", report);
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
    const report = await scene.swap({}, { ...deps, journal: { ...deps.journal, intent } });
    expect([report.exit.code, scene.live()]).toEqual([7, undefined]);
  });

  test("an interrupt does not cut the proof of a rollback short", async () => {
    const scene = new Scene({ old: true });
    mendOn(scene, deleteNew);
    breakAfter(scene, "apply");
    scene.afterCall(isWrite("delete"), () => {
      scene.interrupt();
    });
    const report = await scene.run();
    expect([report.exit.code, report.probes?.at(-1)?.phase]).toEqual([7, "rolled-back"]);
  });
});

test("interrupted while the new one fails where the old one worked: put back, with the interrupt's code", async () => {
  const scene = new Scene({ old: true });
  mendOn(scene, deleteNew);
  breakAfter(scene, "apply", down);
  scene.world.served.splice(1); // databases alone: the watched kind shows the harm
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

describe("8: the rollback is incomplete, and the manual steps are printed", () => {
  test.each<[string, Start, (scene: Scene) => unknown, string]>([
    [
      "what was put back does not work as before",
      { old: true },
      (scene) => {
        breakAfter(scene, "apply");
      },
      "what was put back does not work as before",
    ],
    [
      "the new one was changed in the meantime and stays",
      { old: true },
      (scene) => {
        breakAfter(scene, "apply");
        const changed = aNewConfiguration({ metadata: { labels: { by: "other" } } });
        scene.onCall(isWrite("delete"), () => scene.world.put(changed));
      },
      "kubectl delete validatingwebhookconfiguration engine-enterprise-admission",
    ],
    [
      "the old one cannot be created again",
      { old: true },
      (scene) => {
        breakAfter(scene, "delete");
        scene.onCall(isWrite("create"), () => {
          throw new ApiError("quota", { status: 403 });
        });
      },
      "kubectl create",
    ],
    [
      "the content before cannot be applied again",
      { new: { caBundle: "" } },
      (scene) => {
        served(scene);
        scene.onCall(isSecondApply(scene), cut);
      },
      "kubectl replace",
    ],
    [
      "it reads back otherwise than saved",
      { old: true },
      (scene) => {
        breakAfter(scene, "delete");
        scene.afterCall(isWrite("create"), () => {
          const old = scene.old();
          if (old !== undefined) scene.world.put({ ...old, webhooks: [] });
        });
      },
      "reads back otherwise than saved",
    ],
  ])("%s", async (_title, ...[start, arrange, says]) => {
    const scene = new Scene(start);
    arrange(scene);
    const { exit } = await scene.run();
    expect(exit.code).toBe(8);
    expect(`${exit.reason} ${exit.next ?? ""}`).toContain(says);
  });

  test("a fault of the program itself is not dressed up as a rollback", async () => {
    const scene = new Scene({ old: true });
    breakAfter(scene, "apply");
    scene.onCall(isWrite("delete"), bug);
    await expect(scene.run()).rejects.toThrow("a bug");
  });
});
