/** The real helm, as a child process without a shell (S20). */
import { access, constants, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findPrinted, isReleaseDocument, quoteFirstLine } from "./helm-output";
import { publicWords, secretsIn } from "../domain/base/redact";
import { EngineError, exitCodes, UnavailableError, UsageError } from "../domain/base/errors";
import { asArray, asString, getOwn, isObject, type Json } from "../domain/base/values";
import { kinds } from "../domain/kube/kinds";
import { isKubeObject, type KubeObject } from "../domain/kube/objects";
import { openItems } from "./kubernetes/text/documents";
import { parseDocuments, readDocuments } from "./kubernetes/text/yaml";
import type { ChartHook } from "../domain/operator/chart-hooks";
import type { DeployedChart, RenderedChart } from "../domain/operator/chart-images";
import {
  type ChartRelease,
  type ChartRevision,
  type ChartUpgrade,
  helmWords,
  sourceWords,
} from "../domain/operator/refusals";
import { type Clock, requestDeadlineMs } from "../ports/kubernetes";
import { type ChildEnd, endingMs, LastWords, runToEnd } from "./child";
import { type OnSlow, SlowAnswers } from "./http/slow";
import { decodeText } from "./kubernetes/text/encoding";

/** Helm ended with an error of its own. */
class HelmError extends EngineError {
  readonly code = "HELM-FAILED";
  readonly exitCode = exitCodes.failed;
}

/** Helm was asked to end while it changed a release: what it left is for helm to say. */
class HelmInterruptedError extends EngineError {
  readonly code = "HELM-INTERRUPTED";

  constructor(
    message: string,
    readonly exitCode: EngineError["exitCode"],
    details: { readonly cause: unknown; readonly hint: string },
  ) {
    super(message, details);
  }
}

/** How helm is run. */
interface HelmSetting {
  /** The program; see `findHelm`. */
  readonly executable: string;
  readonly env: NodeJS.ProcessEnv;
  /** The kubeconfig of this run: credentials are never among the words of a command. */
  readonly kubeconfig: string;
  /** Names this run's copies of the files that were given; absent: those that the upgrade names. */
  readonly copied?: Pick<ChartUpgrade, "values" | "given">;
  /** What was set on the command line and nobody may read. */
  readonly secrets?: readonly string[];
  readonly namespace: string;
  /** How long helm itself waits for an upgrade. */
  readonly timeoutMs: number;
  /** How long it may take to answer beyond that; absent: the default of a request. */
  readonly requestTimeoutMs?: number | undefined;
  readonly clock: Pick<Clock, "now" | "alarm">;
  readonly onSlow?: OnSlow | undefined;
  readonly signal: AbortSignal;
}

interface Running {
  /** How long the command itself waits for what it does. */
  readonly waitsMs?: number;
  /** How long it may take; absent: what the command waits, and an answer's time beyond that. */
  readonly limitMs?: number;
  /** Ends it early; absent: the signal of the run. */
  readonly signal?: AbortSignal;
  /** The release that it changes; absent where it only reads. */
  readonly changes?: string;
  /** What its words may quote and nobody may read. */
  readonly secrets?: () => Promise<readonly string[]>;
}

const howToGet =
  "install helm 3.14 or later so that it is on the PATH, or name the program by ENGINE_HELM";

/** The helm of ENGINE_HELM, else the first on the PATH; UsageError with how to get it. */
export async function findHelm(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const named = asString(env["ENGINE_HELM"]);
  if (named !== undefined) {
    if (await isExecutable(named)) return named;
    throw new UsageError(`ENGINE_HELM names ${named}, which cannot be run`, { hint: howToGet });
  }
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter((part) => part !== "")) {
    for (const extension of listExtensions(env, platform)) {
      const file = join(folder, `helm${extension}`);
      if (await isExecutable(file)) return file;
    }
  }
  throw new UsageError("an upgrade by chart needs helm, and there is none on the PATH", {
    hint: howToGet,
  });
}

/** Windows runs a program by its extension; scripts (.cmd, .bat) run in a shell only, which is not used here. */
function listExtensions(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] {
  if (platform !== "win32") return [""];
  const listed = (env["PATHEXT"] ?? ".COM;.EXE").split(";");
  return listed.filter((extension) => /^\.(com|exe)$/i.test(extension));
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `--all` means to helm 3; helm 4 has no such flag. */
const everyState = [
  ...["--deployed", "--failed", "--pending"],
  ...["--superseded", "--uninstalled", "--uninstalling"],
];

/** Stands behind the port Helm of commands/upgrade-operator/chart. */
export class HelmProgram {
  constructor(private readonly setting: HelmSetting) {}

  /** UsageError when it is too old to keep values as they are kept here. */
  async requireVersion(): Promise<void> {
    const said = await this.#run(["version", "--template", "{{.Version}}"]);
    const match = /^v?(\d+)\.(\d+)\.\S*/m.exec(said);
    const { executable } = this.setting;
    if (match === null) {
      const quoted = quoteFirstLine(said);
      throw new UsageError(`${executable} printed no version of helm${quoted}`, { hint: howToGet });
    }
    const [version, major, minor] = [match[0], Number(match[1]), Number(match[2])];
    if (major > 3 || (major === 3 && minor >= 14)) return;
    throw new UsageError(`${executable} is helm ${version}, older than 3.14`, { hint: howToGet });
  }

  async find(name: string): Promise<ChartRelease | undefined> {
    // helm reads all of them for any filter; without a limit it lists 256
    const words = ["list", ...everyState, "--max", "0"];
    const listed = await this.#json(words, (value) => value === null || Array.isArray(value));
    const releases = asArray(listed).map(readRelease);
    const others = releases.filter((one) => one.name !== name);
    const beside = others.length > 0 && { beside: others };
    const found = releases.find((one) => one.name === name) ?? (await this.#findByHistory(name));
    if (found === undefined) return undefined;
    const release = { ...found, ...beside };
    if (release.status === "deployed" || release.revisions !== undefined) return release;
    const history = await this.#history(name).catch((error: unknown) => {
      if (error instanceof HelmError) return undefined;
      throw error;
    });
    return history === undefined ? release : { ...release, revisions: history };
  }

  /** A state that helm itself does not know is in no list of releases. */
  async #findByHistory(name: string): Promise<ChartRelease | undefined> {
    const revisions = await this.#history(name).catch((error: unknown) => {
      if (error instanceof HelmError && /\brelease: not found\b/.test(error.message)) return [];
      throw error;
    });
    const last = revisions.at(-1);
    if (last === undefined) return undefined;
    const { chart = "", status, revision } = last;
    return { name, chart, status, revision: String(revision), revisions };
  }

  /** The first revision first. */
  async #history(name: string, running: Running = {}): Promise<readonly ChartRevision[]> {
    const fits = (value: unknown): boolean => value === null || Array.isArray(value);
    const told = asArray(await this.#json(["history", name], fits, running)).flatMap((one) => {
      const [revision, status] = [getOwn(one, "revision"), getOwn(one, "status")];
      if (typeof revision !== "number" || typeof status !== "string") return [];
      const chart = asString(getOwn(one, "chart"));
      return [{ revision, status, ...(chart !== undefined && { chart }) }];
    });
    return told.sort((one, other) => one.revision - other.revision);
  }

  async values(name: string): Promise<Json> {
    const words = ["get", "values", name];
    const values = await this.#json(words, (value) => value === null || isObject(value));
    return isObject(values) ? values : {};
  }

  async upgrade(upgrade: ChartUpgrade): Promise<void> {
    await this.#upgrade(upgrade, []);
  }

  async render(upgrade: ChartUpgrade, mode: "client" | "server"): Promise<RenderedChart> {
    const words = [`--dry-run=${mode}`, "--hide-notes", "--output", "json"];
    const said = await this.#upgrade(upgrade, words);
    const release = parseOutput(`helm upgrade --dry-run=${mode}`, said, isReleaseDocument);
    const [manifest, config] = ["manifest", "config"].map((key) => getOwn(release, key));
    if (typeof manifest !== "string") {
      throw new HelmError(
        "helm upgrade printed a release without its manifest: the chart renders nothing, or helm does not print what it renders",
        {
          hint: `see what it renders with ${publicWords([...helmWords(upgrade), ...words]).join(" ")}`,
        },
      );
    }
    const hooks = asArray(getOwn(release, "hooks"));
    return {
      ...readManifest(manifest),
      hooked: listHooked(hooks),
      ...(hooks.length > 0 && { hooks: hooks.flatMap(readHook) }),
      ...(getOwn(release, "apply_method") === "ssa" && { appliesOnServer: true }),
      values: isObject(config) ? config : {},
    };
  }

  /** Of a release whose last upgrade has failed, helm goes on from the revision that was deployed before. */
  async manifest({ name, revisions = [] }: ChartRelease): Promise<DeployedChart> {
    const deployed = revisions.findLast(({ status }) => status === "deployed");
    const chosen = deployed === undefined ? [] : ["--revision", String(deployed.revision)];
    return readManifest(await this.#run(["get", "manifest", name, ...chosen]));
  }

  async folderDefinitions(upgrade: ChartUpgrade): Promise<readonly KubeObject[]> {
    const { chart, version } = upgrade;
    const { copied: { given } = upgrade } = this.setting;
    const shown = await this.#run([
      ...["show", "crds", chart, "--version", version],
      ...sourceWords({ given }),
    ]);
    const kept = shown.replace(/^(?:(?!---|apiVersion:|kind:|metadata:|#).*\n)+/, "");
    return parseValues(kept).filter(isDefinition);
  }

  async rollback(name: string): Promise<void> {
    await this.#run(["rollback", name, ...this.#inTime()], {
      waitsMs: this.setting.timeoutMs,
      changes: name,
    });
  }

  #inTime(): readonly string[] {
    return ["--timeout", `${Math.max(1, Math.ceil(this.setting.timeoutMs / 1000))}s`];
  }

  async #upgrade(upgrade: ChartUpgrade, mode: readonly string[]): Promise<string> {
    const { timeoutMs: waitsMs, copied } = this.setting;
    const given = { ...upgrade, ...copied };
    const [, ...words] = helmWords(given);
    return await this.#run([...words, ...this.#inTime(), ...mode], {
      waitsMs,
      ...(mode.length === 0 && { changes: upgrade.name }),
      secrets: () => this.#secrets(given),
    });
  }

  /** What the values hold that helm's words may quote; a source that cannot be read has none. */
  async #secrets({ name, values }: ChartUpgrade): Promise<readonly string[]> {
    const given = values.map((file) =>
      readFile(file).then(
        (bytes) => decodeText(bytes),
        () => "",
      ),
    );
    const before = await this.values(name).catch(() => ({}));
    const { secrets = [] } = this.setting;
    return [...secrets, ...secretsIn([before, ...(await Promise.all(given)).flatMap(parseValues)])];
  }

  async #json(
    words: readonly string[],
    fits: (value: unknown) => boolean,
    running: Running = {},
  ): Promise<unknown> {
    const said = await this.#run([...words, "--output", "json"], running);
    return parseOutput(`helm ${words[0] ?? ""}`, said, fits);
  }

  async #run(words: readonly string[], running: Running = {}): Promise<string> {
    const { executable, env, kubeconfig, namespace, clock, onSlow } = this.setting;
    const { waitsMs = 0, changes, signal = this.setting.signal } = running;
    const answerMs = this.setting.requestTimeoutMs ?? requestDeadlineMs;
    const { limitMs = waitsMs + answerMs } = running;
    const all = [...words, "--namespace", namespace, "--kubeconfig", kubeconfig];
    // whom and where to talk to is said by the kubeconfig alone
    const kept = Object.entries(env).filter(([key]) => !/^(HELM_KUBE|HELM_NAMESPACE)/.test(key));
    const look = changes && describeHistory(changes, namespace);
    // asked to end, helm marks its release as failed, and the next run may continue
    const child = runToEnd(executable, all, {
      ...{ env: Object.fromEntries(kept), signal, clock, limitMs, name: quoteHelm(words), look },
    });
    const end = await new SlowAnswers(clock, quoteHelm(words), onSlow).during(child);
    if (end.code === 0) return end.stdout;
    if (end.isLate) throw tooLate(words, limitMs);
    throw await this.#explainEnd(words, end, running);
  }

  async #explainEnd(
    words: readonly string[],
    end: ChildEnd,
    { changes, secrets, signal = this.setting.signal }: Running,
  ): Promise<Error> {
    if (signal.aborted && changes === undefined) return signal.reason as Error;
    const said = describeWords(end, (await secrets?.()) ?? []);
    if (!signal.aborted || changes === undefined) return explainFailure(words, said);
    return explainInterrupt(signal.reason, {
      how: `${quoteHelm(words)} was asked to end, and ${describeEnding(end)}: ${said}`,
      last: await this.#findLast(changes),
      history: describeHistory(changes, this.setting.namespace),
    });
  }

  /** The revision that an interrupted helm has left, asked for although the run is ending; undefined: not known. */
  async #findLast(name: string): Promise<ChartRevision | undefined> {
    const { signal } = new AbortController();
    return await this.#history(name, { signal, limitMs: 10_000 }).then(
      (revisions) => revisions.at(-1),
      () => undefined,
    );
  }
}

function describeHistory(release: string, namespace: string): string {
  return `helm history ${release} --namespace ${namespace}`;
}

function describeEnding({ isKilled }: ChildEnd): string {
  return isKilled ? `did not within ${endingMs / 1000} s, and was killed` : "has ended";
}

/** Only the reason of a signal has an exit code of its own. */
function explainInterrupt(reason: unknown, { how, last, history }: Interrupted): Error {
  if (!(reason instanceof EngineError)) return reason as Error;
  const left =
    last === undefined
      ? ""
      : `; helm history shows revision ${last.revision}${last.chart === undefined ? "" : ` (${last.chart})`} as ${last.status}`;
  const hint =
    last === undefined
      ? `see what became of the release with ${history}, then run the same command again`
      : "run the same command again: it continues from there, or says what helm needs first";
  return new HelmInterruptedError(`${reason.message}: ${how}${left}`, reason.exitCode, {
    cause: reason,
    hint,
  });
}

interface Interrupted {
  /** What helm was asked, and how it ended. */
  readonly how: string;
  /** The last revision; undefined where helm does not tell it. */
  readonly last: ChartRevision | undefined;
  /** The command that shows the revisions. */
  readonly history: string;
}

function parseOutput(command: string, said: string, fits: (value: unknown) => boolean): unknown {
  const found = findPrinted(said, fits);
  if (found !== undefined) return found;
  throw new HelmError(`${command} printed no JSON${quoteFirstLine(said)}`, {
    hint: `run ${command} --output json yourself to see what it prints, and name another helm by ENGINE_HELM where a script replaces it`,
  });
}

function quoteHelm(words: readonly string[]): string {
  return `helm ${words.slice(0, 2).join(" ")}`;
}

function tooLate(words: readonly string[], limitMs: number): UnavailableError {
  return new UnavailableError(
    `${quoteHelm(words)} did not end within ${limitMs / 1000} s, and was ended`,
    {
      hint: "check the network; helm history shows what became of the release; then run again",
    },
  );
}

function parseValues(text: string): readonly unknown[] {
  try {
    return parseDocuments(text, "the values");
  } catch {
    return [];
  }
}

/** The objects of a manifest; one document that cannot be read hides no other. Helm takes the last of two keys. */
function readManifest(manifest: string): Pick<RenderedChart, "objects" | "unread"> {
  const documents = manifest.split(/^---(?=\s)/m).filter((text) => text.trim() !== "");
  const read = documents.map((text, index) => {
    const { documents: values, problems } = readDocuments(text, "last wins");
    const template = /^# Source: (\S+)/m.exec(text)?.[1];
    const place = `document ${index + 1}${template === undefined ? "" : ` (${template})`}`;
    return {
      objects: values.flatMap((value) =>
        [...openItems({ value, path: [] })].map((opened) => opened.value),
      ),
      unread: problems.map((problem) => `${place} of what helm renders ${problem}`),
    };
  });
  return {
    objects: read.flatMap(({ objects }) => objects),
    unread: read.flatMap(({ unread }) => unread),
  };
}

/** As `helm list` has it. */
function readRelease(listed: unknown): ChartRelease {
  const [name = "", chart = "", status = ""] = ["name", "chart", "status"].map((key) =>
    asString(getOwn(listed, key)),
  );
  const revision = getOwn(listed, "revision");
  const isCounted = ["string", "number"].includes(typeof revision);
  return { name, chart, status, ...(isCounted && { revision: String(revision) }) };
}

function readHook(hook: unknown): readonly ChartHook[] {
  const [events, deletePolicies] = ["events", "delete_policies"].map((key) =>
    asArray(getOwn(hook, key)).map(String),
  ) as [string[], string[]];
  const weight = Number(getOwn(hook, "weight") ?? 0);
  const { objects } = readManifest(asString(getOwn(hook, "manifest")) ?? "");
  return objects.filter(isKubeObject).map((object) => ({ events, weight, deletePolicies, object }));
}

/** The definitions of hooks, and of what their Jobs read. */
function listHooked(hooks: readonly unknown[]): readonly KubeObject[] {
  const run = hooks
    .filter((hook) => asArray(getOwn(hook, "events")).some((event) => isOfUpgrade(event)))
    .flatMap((hook) => parseValues(asString(getOwn(hook, "manifest")) ?? ""));
  return [...run, ...run.flatMap(listHeldDocuments)].filter(isDefinition);
}

function isOfUpgrade(event: unknown): boolean {
  return event === "pre-upgrade" || event === "post-upgrade";
}

/** Documents that a ConfigMap holds, for a Job to apply. */
function listHeldDocuments(object: unknown): readonly unknown[] {
  if (getOwn(object, "kind") !== kinds.configMap.kind) return [];
  const data = getOwn(object, "data");
  return Object.values(isObject(data) ? data : {}).flatMap((text) =>
    parseValues(asString(text) ?? ""),
  );
}

function isDefinition(object: unknown): object is KubeObject {
  return (
    isObject(object) && object["kind"] === kinds.definition.kind && isObject(object["metadata"])
  );
}

/** What is told of failures that would come again each time. */
const knownFailures: readonly { readonly said: RegExp; readonly hint: string }[] = [
  {
    said: /sh\.helm\.release\.v1.*(?:Too long|too large)|request is too large|larger than max/s,
    hint: "helm's record of the release is too large to be kept: leave files out of the chart (.helmignore) or make the values smaller, or keep the records in a database (HELM_DRIVER=sql); helm history shows what became of the release",
  },
  {
    said: /another operation .* is in progress/s,
    hint: "wait until no other helm changes the release, as helm history shows it; where that one was cut off, this command prints the fix",
  },
];

/** Node's own error is left out: it repeats all that helm said, whatever it quotes. */
function explainFailure(words: readonly string[], said: string): HelmError {
  return new HelmError(`${quoteHelm(words)} failed: ${said}`, {
    hint:
      knownFailures.find(({ said: pattern }) => pattern.test(said))?.hint ??
      "fix what helm names, then run again; helm history shows what became of the release",
  });
}

function describeWords({ code, stderr }: ChildEnd, known: readonly string[]): string {
  const started = typeof code === "number" ? "it said nothing" : `it cannot be run (${code})`;
  const silent = String(code).startsWith("SIG") ? `it was ended by ${code}` : started;
  const last = new LastWords();
  last.add(Buffer.from(stderr));
  return last.describe(known) || silent;
}
