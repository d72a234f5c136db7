/** The swap over a cluster as earlier parts will leave it: it plans what it will find, and writes nothing. */
import { swapPart } from "../../../../plugin/commands/upgrade-webhook/part";
import type { SwapOptions } from "../../../../plugin/commands/upgrade-webhook/read";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { ofKind } from "../../../../plugin/domain/kube/typed";
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import { listEntries, entryNames } from "../../../../plugin/domain/admission/configuration";
import type { Planned } from "../../../../plugin/kernel/part";
import { planWaited } from "../../../../plugin/kernel/run-part";
import { overlayWorld, type Projection, unchanged } from "../../../../plugin/kernel/projection";
import type { World } from "../../../../plugin/kernel/world";
import { aDeployment, aNewConfiguration, aSecret, ownerMarks } from "../../../support/builders";
import type { WebhookServer } from "../../../support/served-webhooks";
import { aSwap, down, expectWanted, healthy, newName, oldName, Scene, type Start } from "./scene";

const { entry, oldEntry } = defaultNames.webhook;
const until = "Deployment/engine/operator: to run 8.0.2-2";
const operatorAhead: Projection = {
  ...unchanged,
  stored: [aDeployment("engine")],
  unknown: [{ resource: kinds.endpointSlice, namespace: "engine", until }],
};

interface Wanted extends Partial<Pick<World, "dryRun" | "waits">> {
  readonly after?: Projection;
  readonly options?: Partial<SwapOptions>;
}

/** A part and its world; what it plans writes nothing. */
function part(scene: Scene, { dryRun = "server", waits = false, options }: Wanted = {}) {
  const { judgeSecret, probeName, ...ports } = scene.deps();
  const codes: string[] = [];
  const tell = (findings: readonly Finding[]): void => {
    codes.push(...findings.map(({ code }) => code));
  };
  const swap = swapPart({ judgeSecret, probeName, ...aSwap(), ...options });
  return { codes, swap, world: { ...ports, dryRun, waits, tell } };
}

async function plan(scene: Scene, wanted: Wanted = {}) {
  const { swap, world, codes } = part(scene, wanted);
  const planned = await swap.plan(overlayWorld(world, wanted.after ?? unchanged));
  expect(scene.cluster.written).toEqual([]);
  return { planned, codes, writes: linesOf(planned) };
}

const linesOf = ({ writes }: Planned): readonly string[] =>
  writes.map(({ change }) => `${change.verb} ${objectLabel(change.object)}`);
const apply = `apply ${kinds.webhookConfiguration.kind}/${newName}`;
const remove = `delete ${kinds.webhookConfiguration.kind}/${oldName}`;
const shaded = [defaultNames.edb.kind, defaultNames.eaadb.kind, defaultNames.erc.kind];

describe("what it will have brought about", () => {
  test("is the new configuration, the old one is gone, and edits are checked by another webhook", async () => {
    const { planned, writes } = await plan(new Scene({ old: true }));
    expect(writes).toEqual([apply, remove]);
    const { stored, gone, shades, unknown } = planned.after;
    expect(ofKind(stored, kinds.webhookConfiguration.kind).map(entryNames)).toEqual([[entry]]);
    expect(stored.map(({ metadata }) => metadata.uid)).toEqual([undefined]);
    expect(gone.map(({ name }) => name)).toEqual([oldName]);
    expect(shades.map(({ kind }) => kind)).toEqual(expect.arrayContaining(shaded));
    expect(unknown).toEqual([]);
  });

  test("keeps the identity of a configuration that is there", async () => {
    const scene = new Scene({ new: { caBundle: "" } });
    const { planned } = await plan(scene);
    const { uid, resourceVersion } = scene.live()?.metadata ?? {};
    expect(planned.after.stored).toMatchObject([{ metadata: { uid, resourceVersion } }]);
  });

  test("is nothing where all is up to date", async () => {
    const { planned, writes } = await plan(new Scene({ new: true }));
    expect([writes, planned.after]).toEqual([[], unchanged]);
  });

  test("is told of a plan that something stands against, too", async () => {
    const scene = new Scene({ old: { metadata: ownerMarks.Helm } });
    const { planned, writes } = await plan(scene);
    expect(planned.stops).toMatchObject({ exitCode: 5, findings: [{ code: "WEBHOOK-OWNED" }] });
    expect(writes).toEqual([]);
    expect(planned.after.gone.map(({ name }) => name)).toEqual([oldName]);
    await expect(planned.act({} as never)).rejects.toBe(planned.stops);
  });
});

describe("before the operator is ready", () => {
  test("whether anything answers is waited for, and what will be written is planned", async () => {
    const scene = new Scene({ old: true });
    scene.world.put(aDeployment("engine", 0));
    expect((await plan(scene, { after: operatorAhead })).planned).toMatchObject({
      waitsFor: until,
      writes: [{}, {}],
    });
    await expect(plan(scene)).rejects.toMatchObject({ exitCode: 3 });
  });

  test("another server answers then, though no configuration is written", async () => {
    const { planned, writes } = await plan(new Scene({ new: true }), { after: operatorAhead });
    expect(writes).toEqual([]);
    expect(planned.after.shades.map(({ kind }) => kind)).toEqual(expect.arrayContaining(shaded));
  });

  test("edits of kinds that change meanwhile are sent to who answers today", async () => {
    const { edb } = defaultNames;
    const shades = [{ group: defaultNames.group, kind: edb.kind }];
    const scene = new Scene({ old: true });
    const { planned } = await plan(scene, { after: { ...operatorAhead, shades } });
    expect(planned.stops).toBeUndefined();
    expect(scene.events).toContainEqual(
      expect.objectContaining({ probe: expect.objectContaining({ phase: "found" }) as unknown }),
    );
  });
});

describe("a Secret that is not there", () => {
  const without = (): Scene => {
    const scene = new Scene({ old: true });
    scene.world.drop("Secret", "admission-tls", "engine");
    return scene;
  };

  test("is waited for by a plan that waits, and tells nothing meanwhile", async () => {
    const scene = without();
    const { planned, writes } = await plan(scene, { waits: true });
    expect([writes, planned.waitsFor]).toEqual([[], "Secret/engine/admission-tls: to be created"]);
    expect([planned.limit?.ms, scene.events]).toEqual([60_000, []]);
    await expect(planned.act({} as never)).rejects.toThrow("is not carried out");
  });

  test("stops any other", async () => {
    await expect(plan(without())).rejects.toMatchObject({ exitCode: 3, code: "SECRET-MISSING" });
  });

  test("and comes: the plan is made of it, and what was planned by dry run is done", async () => {
    const scene = without();
    scene.clock.beforeSleep = () => scene.world.put(aSecret("engine"));
    const { swap, world } = part(scene, { waits: true });
    const planned = await planWaited(swap, world, 0);
    expect(linesOf(planned)).toEqual([apply, remove]);
    const { recorder, ...acting } = scene.deps();
    const tell = recorder.addFindings.bind(recorder);
    expect(await planned.act({ ...acting, recorder, tell })).toMatchObject({ code: 0 });
    expectWanted(scene);
    expect(recorder.success("").probes?.map(({ phase }) => phase)).toEqual([
      ...["before", "new", "after"],
    ]);
  });
});

describe("left to someone else", () => {
  interface Left {
    readonly what: string;
    readonly start: Start;
    readonly server?: WebhookServer;
    readonly end: object;
  }

  test.each<Left>([
    { what: "that works is proven", start: { new: true }, end: { code: 0 } },
    {
      what: "that nothing is known of is unproven",
      start: {},
      end: { code: 0, reason: expect.stringContaining("unproven") as string },
    },
    {
      what: "that does not answer has failed, and nothing was written",
      ...{ start: { new: true }, server: down, end: { code: 7 } },
    },
  ])("a webhook $what", async ({ start, server = healthy, end }) => {
    const scene = new Scene(start);
    scene.world.servers.set("engine/admission", server);
    const { swap, world } = part(scene);
    expect(await swap.prove(overlayWorld(world, unchanged))).toMatchObject(end);
    expect(scene.cluster.written).toEqual([]);
  });
});

test("the old entry in the new configuration is gone from it after both writes", async () => {
  const scene = new Scene();
  const live = aNewConfiguration({ caBundle: "" });
  const [own] = listEntries(live);
  scene.world.put({ ...live, webhooks: [{ ...own, name: oldEntry }, own] });
  const { planned, writes } = await plan(scene);
  expect(writes).toEqual([apply, apply.replace("apply", "rewrite")]);
  const configurations = ofKind(planned.after.stored, kinds.webhookConfiguration.kind);
  expect(configurations.map(entryNames)).toEqual([[entry]]);
});
