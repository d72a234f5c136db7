/** What the plan by chart announces, against what the real helm then does, object by object and field by field. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { omit } from "../../plugin/domain/base/values";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { Report } from "../../plugin/kernel/report";
import { type ChartFiles, packChart, writeChart } from "../support/releases/chart";
import { type ChartServer, startChartServer } from "../support/releases/chart-server";
import { sampled } from "../support/sampled";
import { findProgram } from "./binaries";
import {
  type Announced,
  compareUpgrade,
  type Effect,
  readAnnounced,
  type Unlike,
} from "./chart-comparison";
import {
  type ChartScene,
  chartScenes,
  deployedVersion,
  type Refused,
  richScene,
  type Told,
  wantedVersion,
} from "./chart-scenes";
import { ChartSite, type Program, programs } from "./chart-site";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { namespaceNamed } from "./managed-namespaces";
import { playAt } from "./played-operator";
import { including, type PluginRun, runner, warningsIn } from "./plugin-run";

let controlPlane: ControlPlane;
let folder = "";
let server: ChartServer;

beforeAll(async () => {
  for (const program of programs) await findProgram(program);
  controlPlane = await startControlPlane({ users: [runner] });
  folder = mkdtempSync(join(tmpdir(), "chart-plan-"));
  const archive = await packChart(wantedVersion, withoutHook);
  server = await startChartServer([
    { name: names.operator.chart, version: wantedVersion, archive },
  ]);
}, 600_000);
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

const withoutHook: ChartFiles = { "templates/crds.yaml": undefined, files: undefined };

/** Does it at a release of its own, beside the operator at play. */
async function at<T>(
  scene: ChartScene,
  program: Program,
  act: (site: ChartSite) => Promise<T>,
): Promise<T> {
  const namespace = `plan-${String(chartScenes.indexOf(scene) + 1)}-${program}`;
  const own = join(folder, namespace);
  mkdirSync(own);
  const site = new ChartSite(controlPlane, namespace, program, own);
  const files = scene.whole === true ? {} : withoutHook;
  const deployed = join(own, deployedVersion);
  writeChart(deployed, deployedVersion, { ...files, ...scene.deployed });
  await controlPlane.api.create(namespaceNamed(namespace));
  const end = await playAt(controlPlane, namespace);
  try {
    await scene.first?.(site);
    await site.helm("install", "operator", deployed, ...(scene.install ?? []));
    await scene.then?.(site);
    return await act(site);
  } finally {
    // another namespace with an operator would be the one that is meant
    await site.kubectl("delete", "deployment", "--all");
    await end();
  }
}

/** How helm is led to the chart that follows. */
async function chartWords(scene: ChartScene, site: ChartSite): Promise<readonly string[]> {
  const { chart } = names.operator;
  const files = { ...(scene.whole === true ? {} : withoutHook), ...scene.wanted };
  switch (scene.source) {
    case "repository":
      return ["--chart", chart, "--repo", server.url];
    case "registry":
      return ["--chart", `${server.registry}/${chart}`, "--plain-http"];
    case "archive": {
      const file = join(site.folder, "chart.tgz");
      writeFileSync(file, await packChart(wantedVersion, files));
      return ["--chart", file];
    }
    case undefined:
      return ["--chart", writeChart(join(site.folder, wantedVersion), wantedVersion, files)];
  }
}

/** A plan, and what became of it. */
interface Upgraded {
  readonly announced: Announced;
  readonly effect: Effect;
  readonly warnings: readonly string[];
}

/** Plans the upgrade, which writes nothing, and does it. */
async function upgrade(scene: ChartScene, site: ChartSite): Promise<Upgraded> {
  const { run, contents } = await prepare(scene, site);
  const before = await contents();
  const plan = await run("--dry-run=server", "-v=1");
  expectDone(plan);
  expect(plan.writes).toEqual([]);
  expectSame(await contents(), before);
  const done = await run();
  expectDone(done);
  return {
    announced: readAnnounced(plan.report as unknown as Report),
    effect: { before, after: await contents(), writes: done.writes },
    warnings: warningsIn(plan.report),
  };
}

/** Says why not. */
function expectDone({ code, report }: PluginRun): void {
  const { exit, findings = [] } = report;
  const errors = findings.filter(({ severity }) => severity === "error");
  const reason = code === 0 ? "" : exit.reason;
  expect({ code, reason, errors }).toEqual({ code: 0, reason: "", errors: [] });
}

async function prepare(scene: ChartScene, site: ChartSite) {
  const words = [
    ...(await chartWords(scene, site)),
    ...["--release-name", "operator", "--version", wantedVersion],
    ...(scene.flags?.(site) ?? []),
  ];
  const { input } = scene;
  return {
    run: (...more: readonly string[]) =>
      site.engine([...words, ...more], input === undefined ? {} : { input }),
    contents: () => site.contents(...(scene.other === true ? [`${site.namespace}-other`] : [])),
  };
}

/** Nothing that a person or a manifest says is another; the play may still write a status. */
function expectSame(after: Effect["after"], before: Effect["before"]): void {
  const nothing = { ...noAnnouncement, hooks: [] };
  expect(compareUpgrade(nothing, { before, after, writes: [] })).toEqual([]);
}

const noAnnouncement: Announced = {
  ...{ created: new Map(), changed: new Map(), deleted: new Set<string>(), hooks: [] },
  kept: new Set<string>(),
};

/** What a plan says of one object, as a scene writes it down. */
function tellOf(announced: Announced, label: string): Told {
  const { created, changed, deleted, hooks, kept } = announced;
  if (hooks.includes(label)) return "hook";
  if (created.has(label)) return "created";
  if (deleted.has(label)) return "deleted";
  const changes = changed.get(label);
  if (changes !== undefined) return changes.map(({ path }) => path);
  return kept.has(label) ? "kept" : "unsaid";
}

async function expectRefused(
  scene: ChartScene,
  site: ChartSite,
  { code, finding }: Refused,
): Promise<void> {
  const { run, contents } = await prepare(scene, site);
  const before = await contents();
  for (const mode of [["--dry-run=server"], []]) {
    const { code: ended, writes, report } = await run(...mode);
    const found = report.findings?.find(({ severity }) => severity === "error")?.code;
    expect([ended, found, writes]).toEqual([code, finding, []]);
  }
  expectSame(await contents(), before);
}

const rows = sampled(chartScenes).flatMap((scene) =>
  programs.map((program) => [program, scene.name, scene] as const),
);

test.each(rows)("%s, %s", async (program, _name, scene) => {
  const { told = {}, refused, unlike = [], warns = [] } = { ...scene, ...scene.by?.[program] };
  await at(scene, program, async (site) => {
    if (refused !== undefined) {
      await expectRefused(scene, site, refused);
      return;
    }
    const { announced, effect, warnings } = await upgrade(scene, site);
    const named = (label: string): string => label.replaceAll("NS", site.namespace);
    expect(compareUpgrade(announced, effect)).toEqual(
      unlike.map((one) => ({ ...one, object: named(one.object) })),
    );
    expect(warnings).toEqual(including(...warns));
    for (const [label, expected] of Object.entries(told)) {
      const object = named(label);
      const said = tellOf(announced, object);
      const all =
        typeof expected === "string"
          ? expected
          : (expect.arrayContaining([...expected]) as unknown);
      expect([object, said]).toEqual([object, all]);
    }
  });
});

type Contents = Effect["after"];
type Damage = (
  upgraded: Upgraded,
  label: (object: string) => string,
) => Partial<Announced & Effect>;

const without = <T>(map: ReadonlyMap<string, T>, label: string): ReadonlyMap<string, T> =>
  new Map([...map].filter(([key]) => key !== label));

/** The contents with one object as the change makes it. */
function changed(contents: Contents, label: string, change: (object: KubeObject) => object) {
  const object = contents.get(label);
  expect(object).toBeDefined();
  return new Map([...contents, [label, change(object as KubeObject) as KubeObject]]);
}

const inMetadata =
  (more: object) =>
  (object: KubeObject): object => ({ ...object, metadata: { ...object.metadata, ...more } });

const planted: readonly (readonly [name: string, damage: Damage, found: Unlike])[] = [
  [
    "a field is left out of the plan",
    ({ announced }, label) => ({
      changed: new Map([
        ...announced.changed,
        [label("changed"), [{ path: ".data.a", to: "2" }]] as const,
      ]),
    }),
    { object: "changed", field: "/data/b", is: "changed, not announced" },
  ],
  [
    "an object is left out of the plan",
    ({ announced }, label) => ({ created: without(announced.created, label("fresh")) }),
    { object: "fresh", is: "created, not announced" },
  ],
  [
    "a deletion is left out of the plan",
    () => ({ deleted: new Set<string>() }),
    { object: "gone", is: "deleted, not announced" },
  ],
  [
    "an object is deleted beside the plan",
    ({ effect }, label) => ({ after: without(effect.after, label("same")) }),
    { object: "same", is: "deleted, not announced" },
  ],
  [
    "an object is planned and not made",
    ({ effect }, label) => ({ after: without(effect.after, label("fresh")) }),
    { object: "fresh", is: "announced, not created" },
  ],
  [
    "an object is made otherwise",
    ({ effect }, label) => ({
      after: changed(effect.after, label("fresh"), (one) => ({ ...one, data: { a: "9" } })),
    }),
    { object: "fresh", field: "/data/a", is: "created otherwise" },
  ],
  [
    "an object that was to be deleted stays",
    ({ effect }, label) => {
      const gone = effect.before.get(label("gone"));
      expect(gone).toBeDefined();
      return { after: new Map([...effect.after, [label("gone"), gone as KubeObject]]) };
    },
    { object: "gone", is: "announced, not deleted" },
  ],
  [
    "a field does not change",
    ({ effect }, label) => ({
      after: changed(effect.after, label("changed"), (one) => ({
        ...one,
        data: { a: "1", b: "2" },
      })),
    }),
    { object: "changed", field: ".data.a", is: "announced, not changed" },
  ],
  [
    "a field gets another value",
    ({ effect }, label) => ({
      after: changed(effect.after, label("changed"), (one) => ({
        ...one,
        data: { a: "9", b: "2" },
      })),
    }),
    { object: "changed", field: ".data.a", is: "changed otherwise" },
  ],
  [
    "a label goes",
    ({ effect }, label) => ({
      after: changed(effect.after, label("same"), ({ metadata, ...one }) => ({
        ...one,
        metadata: { ...metadata, labels: omit(metadata.labels ?? {}, "team") },
      })),
    }),
    { object: "same", field: "/metadata/labels/team", is: "changed, not announced" },
  ],
  [
    "a key of a Secret changes",
    ({ effect }, label) => ({
      after: changed(effect.after, label("Secret/login"), (one) => ({
        ...one,
        data: { a: "Mg==" },
      })),
    }),
    { object: "Secret/login", field: "/data/a", is: "changed, not announced" },
  ],
  [
    "an object is made anew",
    ({ effect }, label) => ({
      after: changed(effect.after, label("same"), inMetadata({ uid: "other" })),
    }),
    { object: "same", field: "/metadata/uid", is: "changed, not announced" },
  ],
  [
    "a hook is left behind",
    ({ effect }, label) => {
      const policy = { "helm.sh/hook-delete-policy": "hook-succeeded" };
      return {
        after: changed(effect.after, label("second"), inMetadata({ annotations: policy })),
      };
    },
    { object: "second", is: "hook left behind" },
  ],
  [
    "a hook is not run",
    ({ effect }) => ({ writes: effect.writes.filter((write) => !write.endsWith(" second")) }),
    { object: "second", is: "hook announced, not run" },
  ],
];

describe.each(sampled(programs))("of %s, a planted difference is found:", (program) => {
  let upgraded: Upgraded;
  let namespace = "";
  beforeAll(async () => {
    upgraded = await at(richScene, program, async (site) => {
      ({ namespace } = site);
      return await upgrade(richScene, site);
    });
  });

  test("none without one", () => {
    expect(compareUpgrade(upgraded.announced, upgraded.effect)).toEqual([]);
  });

  test.each(planted)("%s", (_name, damage, { object, ...found }) => {
    const label = (name: string): string => {
      const [kind, of] = name.includes("/") ? name.split("/") : ["ConfigMap", name];
      return [kind, namespace, of].join("/");
    };
    const damaged = damage(upgraded, label);
    const { announced, effect } = upgraded;
    expect(compareUpgrade({ ...announced, ...damaged }, { ...effect, ...damaged })).toEqual([
      { object: label(object), ...found },
    ]);
  });
});
