/** Commands that write over the cluster's REST API, with one of both servers that stops answering. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InterruptedError } from "../../plugin/cmdutil/context";
import { getPath } from "../../plugin/domain/base/values";
import { exampleSource } from "../../plugin/simulator/example";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { faults, faultyGate, type Injection } from "../jobs/faults";
import type { PlannedFault } from "../../plugin/simulator/rest-api/faults";
import { type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { type Clock, requestDeadlineMs } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { aScene } from "../plugin/commands/upgrade-database/scene";
import {
  aFrozenScene,
  aModuleFile,
  type FrozenWish,
  stateOf,
} from "../plugin/commands/recover/scene";
import { admin, makeWorld } from "./world";
import { aCaFile, anApiSecret } from "./cluster-api-client";
import type { Hung } from "./hanging";
import { judged } from "./hanging-commands";
import { ManualClock, testTime } from "./manual-clock";
import { aClusterApi, type ClusterApiForTest } from "./played-cluster-api";
import { typed } from "./program-world";
import { aFolder } from "./a-folder";

/** Both servers, in one time. */
interface Servers {
  readonly controlPlane: MemoryControlPlane;
  readonly api: ClusterApiForTest;
  readonly clock: Clock;
  /** What the command is for. */
  readonly goal: () => Promise<unknown>;
}

interface Row {
  readonly title: string;
  readonly open: () => Promise<Servers>;
  readonly words: (archive: string) => readonly string[];
}

const frozen = (wish: FrozenWish) => async (): Promise<Servers> => {
  const scene = await aFrozenScene(wish);
  return { ...scene, goal: () => stateOf(scene) };
};

/** A new command is one entry here. */
export const rows: readonly Row[] = [
  {
    title: "upgrade-database --via api",
    open: async () => {
      const scene = await aScene();
      const { controlPlane, clock } = scene;
      const bdbs = [{ uid: 3, name: "sessions", version: "7.2.4" }];
      const api = await aClusterApi({ profile: "8.0", bdbs, clock });
      const goal = async () => [
        api.store.bdbs.get(3)?.version,
        getPath(await scene.edb("sessions"), names.fields.engineVersion),
      ];
      return { controlPlane, clock, api, goal };
    },
    words: () => ["upgrade-database", "shop/sessions", "--engine-version=8.0", "--via=api"],
  },
  {
    title: "modules install",
    open: async () => {
      const clock = new ManualClock();
      const api = await aClusterApi({ clock });
      const { objects } = await exampleSource(names, testTime);
      const goal = () => Promise.resolve([...api.store.modules.values()].map(({ name }) => name));
      return { controlPlane: makeWorld({ objects }).controlPlane, clock, api, goal };
    },
    // an action is followed to the end of this time, whether the server answers or not
    words: (archive) => ["modules", "install", archive, "--timeout=2m"],
  },
  {
    title: "recover --apply, an old database",
    open: frozen({ version: "6.2" }),
    words: () => ["recover", "--apply", "--engine-version=7.2"],
  },
];

/** Requests that get no answer: of one server or of the other. */
interface Silence {
  readonly fault: string;
  readonly call: ObservedCall;
  readonly cluster?: Injection;
  /** Counted from the first call of the run. */
  readonly api?: readonly PlannedFault[];
  /** Calls that the REST API got and did not carry out. */
  readonly lost: number;
}

/** What was not as it has to be, run by run. */
export async function wrongOf(title: string): Promise<readonly string[]> {
  const row = rows.find((one) => one.title === title);
  if (row === undefined) throw new Error(title);
  const folder = aFolder("hanging-rest");
  const usual = new Play(row, folder);
  try {
    await usual.begin();
    const end = await usual.run();
    if (end.code !== 0) return [JSON.stringify(end)];
    const goal = JSON.stringify(await usual.goal());
    const requests = usual.requests;
    const all = [...ofCluster(requests), ...ofApi(usual.calls)];
    const wrong: string[] = [];
    for (const silence of all) {
      const hung = await met({ row, folder, silence, goal, usualMs: end.ms });
      wrong.push(...judgedRest(hung).map((why) => `${hung.what}: ${why}`));
    }
    return all.some(({ api, call }) => api !== undefined && call.writes) ? wrong : ["no call"];
  } finally {
    await usual.close();
  }
}

/** The list of modules proves that an upload was carried out, never that it was not: it may take long. */
function judgedRest(hung: Hung): readonly string[] {
  const [end] = hung.ends;
  if (end === undefined || end === "killed") return ["it was killed"];
  const unsaid = { ...hung, call: { ...hung.call, writes: false } };
  const isSaid = /cannot tell|did not take effect/.test(end.reason);
  if (hung.fault === "interrupt") return [...judged(unsaid), ...(isSaid ? [] : ["left unsaid"])];
  if (hung.fault === "interrupt-after") {
    return [...judged(unsaid), ...(end.code === 130 ? [] : ["not looked for"])];
  }
  const isUpload = hung.call.subject.includes("modules");
  return judged(hung.fault === "hang" && isSaid && isUpload ? unsaid : hung);
}

/** All writes, and of everything else the first of its kind. */
function ofCluster(calls: readonly ObservedCall[]): readonly Silence[] {
  const said = calls.map(({ verb, subject }) => `${verb} ${subject}`);
  return calls.flatMap((call, index) =>
    call.writes || said.indexOf(said[index] ?? "") === index
      ? faults
          .filter(({ hangs, meets }) => hangs !== undefined && meets(call))
          .map((fault) => ({
            fault: fault.id,
            call,
            cluster: { call: index + 1, fault },
            lost: 0,
          }))
      : [],
  );
}

function ofApi(calls: readonly string[]): readonly Silence[] {
  return calls.flatMap((subject, skip): readonly Silence[] => {
    if (calls.indexOf(subject) !== skip) return [];
    const writes = subject.startsWith("POST");
    const lost = writes ? 1 : 0;
    const call: ObservedCall = { verb: writes ? "create" : "get", subject, writes, dryRun: false };
    const before = { fault: { does: "hang", when: "before" }, skip } as const;
    const after = { fault: { does: "hang", when: "after" }, skip } as const;
    const all = { ...before, times: Infinity };
    const reads: readonly Silence[] = [
      { fault: "hang", call, api: [before], lost },
      { fault: "silence", call, api: [all], lost },
    ];
    if (!writes) return reads;
    return [
      ...reads,
      { fault: "hang-after", call, api: [after], lost: 0 },
      { fault: "silence", call, api: [after, all], lost: 0 },
      { fault: "interrupt", call, api: [before], lost },
      { fault: "interrupt-after", call, api: [after], lost: 0 },
    ];
  });
}

interface Wanted {
  readonly row: Row;
  readonly folder: string;
  readonly silence: Silence;
  readonly goal: string;
  readonly usualMs: number;
}

/** The run that meets it, then runs with time between them until one ends with 0. */
async function met({ row, folder, silence, goal, usualMs }: Wanted): Promise<Hung> {
  const play = new Play(row, folder);
  try {
    await play.begin();
    const first = await play.run(silence);
    const ends = [first];
    while (ends.at(-1)?.code !== 0 && ends.length < 4) ends.push(await play.run());
    const { fault, lost } = silence;
    // Requests that are sent side by side may change places, so the one that was met is judged.
    const call = first.met[0]?.request ?? silence.call;
    const what = `${fault} at ${call.verb} ${call.subject} of the ${serverOf(silence)}: ${String(first.code)} ${first.reason}`;
    const posts = play.calls.filter((line) => line.startsWith("POST")).length;
    const got = JSON.stringify(await play.goal());
    const bad = [
      ...(posts - lost <= 1 ? [] : [`called ${String(posts)} times`]),
      ...(got === goal ? [] : [`not as expected: ${got}`]),
      ...ends.slice(1).flatMap(({ code, reason }) => (code === 0 ? [] : [`then ${reason}`])),
      ...([1, 70].includes(first.code) ? ["it failed"] : []),
    ];
    const wrong = bad.length === 0 ? undefined : bad.join("; ");
    return { what, fault, call, ends, wrong, extraMs: first.ms - usualMs };
  } finally {
    await play.close();
  }
}

function serverOf({ api }: Silence): string {
  return api === undefined ? "API server" : "REST API";
}

/** Its alarms ring when a call has met a server that does not answer. */
class AlarmClock implements Clock {
  private readonly set = new Set<() => void>();

  constructor(private readonly inner: Clock) {}

  now(): number {
    return this.inner.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.inner.sleep(ms, signal);
  }

  alarm(_ms: number, ring: () => void): () => void {
    this.set.add(ring);
    return () => {
      this.set.delete(ring);
    };
  }

  async silence(): Promise<void> {
    await this.inner.sleep(requestDeadlineMs);
    for (const ring of [...this.set]) ring();
  }
}

class Play {
  readonly requests: ObservedCall[] = [];
  private servers: Servers | undefined;

  constructor(
    private readonly row: Row,
    private readonly folder: string,
  ) {}

  async begin(): Promise<void> {
    this.servers = await this.row.open();
    const { controlPlane, api } = this.servers;
    const { name, password } = api.admin;
    await controlPlane.connect({ user: admin, namespace }).create(anApiSecret(name, password));
  }

  get calls(): readonly string[] {
    return this.opened.api.calls.map(({ method, path }) => `${method} ${path}`);
  }

  goal(): Promise<unknown> {
    return this.opened.goal();
  }

  async close(): Promise<void> {
    await this.servers?.api.close();
  }

  async run(silence?: Silence) {
    const { api, controlPlane } = this.opened;
    const clock = new AlarmClock(this.opened.clock);
    const stop = new AbortController();
    const rang = (): void => {
      if (silence?.fault.startsWith("interrupt") === true) {
        stop.abort(new InterruptedError("SIGINT"));
      }
      void clock.silence();
    };
    for (const { fault, ...plan } of silence?.api ?? []) {
      api.faults.add({ ...plan, fault: fault.does === "hang" ? { ...fault, met: rang } : fault });
    }
    const connected = controlPlane.connect({ user: admin, namespace });
    const injections = silence?.cluster === undefined ? [] : [silence.cluster];
    const { gate, calls, met } = faultyGate(injections, { server: connected.server, clock });
    const connect = () => Promise.resolve(observe(connected, gate));
    const env = { ENGINE_HOME: join(this.folder, "home") };
    const from = clock.now();
    const { code, out } = await typed(this.argv(), { connect, clock, env, signal: stop.signal });
    const ms = clock.now() - from;
    api.faults.clear();
    this.requests.push(...calls);
    await clock.sleep(30_000);
    const { exit, findings = [] } = JSON.parse(out) as Report;
    const reason = [exit.reason, ...findings.map(({ cause }) => cause)].join("; ");
    return { code, reason, ms, met };
  }

  private get opened(): Servers {
    if (this.servers === undefined) throw new Error("not begun");
    return this.servers;
  }

  private argv(): readonly string[] {
    const { url, caPem } = this.opened.api;
    const archive = join(this.folder, "rg.zip");
    writeFileSync(archive, aModuleFile().bytes);
    const reach = [`--api-url=${url}`, `--api-ca=${aCaFile(caPem)}`];
    return [...this.row.words(archive), ...reach, "-n", namespace, "-o", "json", "--yes"];
  }
}

const namespace = names.operator.namespace;
