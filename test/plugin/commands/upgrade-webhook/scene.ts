/** A cluster on which the swap can run, and everything that the swap is given. */
import { InterruptedError } from "../../../../plugin/cmdutil/context";
import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../../plugin/domain/kube/models";
import { asKind } from "../../../../plugin/domain/kube/typed";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath } from "../../../../plugin/domain/base/values";
import { findEntry } from "../../../../plugin/domain/admission/configuration";
import { quoteCommand } from "../../../../plugin/output/escape";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Event, Report } from "../../../../plugin/kernel/report";
import type { Journal } from "../../../../plugin/kernel/journal";
import type { World, AskingPorts } from "../../../../plugin/kernel/world";
import type {
  JudgedSecret,
  SwapHelpers,
  SwapOptions,
} from "../../../../plugin/commands/upgrade-webhook/read";
import { swapWebhook } from "../../../../plugin/commands/upgrade-webhook/command";
import {
  aDeployment,
  aNamespace,
  anEndpointSlice,
  aNewConfiguration,
  anOldConfiguration,
  aSecret,
  aService,
  aTemplate,
  type ConfigurationChanges,
  resourceOf,
  testCa,
} from "../../../support/builders";
import type { Call } from "../../../support/kept-cluster";
import { judgesAll, type WebhookServer } from "../../../support/served-webhooks";
import { makeWorld } from "../../../support/world";
import { certificate } from "../status/scene";
import { ManualClock } from "../../../support/manual-clock";

export const oldName = defaultNames.webhook.oldConfiguration;
export const newName = defaultNames.webhook.configuration;
const kind = "ValidatingWebhookConfiguration";
export const applyNew = `apply ${kind}/${newName}`;
export const deleteNew = `delete ${kind}/${newName}`;
export const deleteOld = `delete ${kind}/${oldName}`;
export const createOld = `create ${kind}/${oldName}`;

export const healthy: WebhookServer = { ca: testCa, judge: judgesAll };
export const permissive: WebhookServer = { ca: testCa, judge: () => undefined };
export const down: WebhookServer = { ...healthy, down: "connect: connection refused" };

/** Which configurations a test finds; `true` is a healthy one. */
export interface Start {
  readonly old?: ConfigurationChanges | true;
  readonly new?: ConfigurationChanges | true;
}

export class Scene {
  readonly clock = new ManualClock();
  readonly world = makeWorld({
    clock: this.clock,
    served: [defaultNames.edb, defaultNames.eaadb, defaultNames.erc].map(resourceOf),
    servers: { "engine/admission": healthy },
  });
  readonly cluster = this.world.cluster;
  readonly events: Event[] = [];
  readonly questions: string[] = [];
  readonly journal: string[] = [];
  readonly saved: KubeObject[] = [];
  answer: (question: string) => Promise<boolean> = () => Promise.resolve(true);
  homeProblem: string | undefined;
  secretFindings: readonly Finding[] = [];
  #abort = new AbortController();

  constructor(start: Start = {}) {
    const { world } = this;
    for (const object of [
      aNamespace("engine"),
      aSecret("engine"),
      aService("engine"),
      anEndpointSlice("engine"),
      aDeployment("engine"),
    ]) {
      world.put(object);
    }
    if (start.old !== undefined) world.put(anOldConfiguration(changesOf(start.old)));
    if (start.new !== undefined) world.put(aNewConfiguration(changesOf(start.new)));
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#abort.abort(new InterruptedError("SIGINT"));
  }

  /** Interrupts or fails from the call that the test picks. */
  onCall(picks: (call: Call) => boolean, act: () => void): void {
    const { before } = this.cluster;
    let done = false;
    this.cluster.before = (call) => {
      before(call);
      if (done || !picks(call)) return;
      done = true;
      act();
    };
  }

  /** The same after the call took effect. */
  afterCall(picks: (call: Call) => boolean, act: () => void): void {
    const { after } = this.cluster;
    let done = false;
    this.cluster.after = (call) => {
      after(call);
      if (done || !picks(call)) return;
      done = true;
      act();
    };
  }

  live(): ValidatingWebhookConfiguration | undefined {
    return asKind(this.world.stored(kind, newName), "ValidatingWebhookConfiguration");
  }

  old(): ValidatingWebhookConfiguration | undefined {
    return asKind(this.world.stored(kind, oldName), "ValidatingWebhookConfiguration");
  }

  /** The tool's entry in the new configuration. */
  entry(): ValidatingWebhook | undefined {
    return findEntry(this.live(), defaultNames.webhook.entry);
  }

  deps(): AskingPorts & SwapHelpers {
    const { cluster, clock, events } = this;
    return {
      cluster,
      clock,
      names: defaultNames,
      signal: this.#abort.signal,
      recorder: new Recorder(
        {
          kind: "UpgradeWebhook",
          run: {
            id: "20260801-101530-4f2a1b",
            startedAt: "2026-08-01T10:15:30.000Z",
            dryRun: "none",
          },
          target: { server: cluster.server, namespace: "engine" },
        },
        { clock, event: (event) => events.push(event) },
      ),
      ask: (question) => {
        this.questions.push(question);
        return this.answer(question);
      },
      journal: this.#journal(),
      judgeSecret: (secret) => this.#judge(secret),
      yaml: renderDocuments,
      command: quoteCommand,
      probeName: "kubectl-engine-probe-1",
    };
  }

  /** Runs the swap once; another signal each time. */
  async run(options: Partial<SwapFlags> = {}): Promise<Report> {
    const report = await this.swap(options);
    this.#abort = new AbortController();
    return report;
  }

  async swap(options: Partial<SwapFlags> = {}, deps = this.deps()): Promise<Report> {
    const { judgeSecret, probeName } = deps;
    return await swapWebhook(deps, { judgeSecret, probeName, ...aSwap(), ...options });
  }

  #judge(secret: KubeObject): JudgedSecret {
    const caBundle = String(getPath(secret, ["data", "cert"]));
    return {
      caBundle,
      facts: { ...certificate, caBundle },
      certificate: {
        secret: "engine/admission-tls",
        sha256: "ab12",
        notAfter: "2031-08-01T10:15:30Z",
        san: ["admission.engine.svc"],
      },
      findings: this.secretFindings,
    };
  }

  #journal(): Journal {
    return {
      problem: () => Promise.resolve(this.homeProblem),
      save: (object) => {
        this.saved.push(object);
        return Promise.resolve(`runs/1/${object.metadata.name ?? ""}.json`);
      },
      intent: (line) => {
        this.journal.push([line["action"], line["object"]].join(" "));
        return Promise.resolve();
      },
      outcome: (line) => {
        const { action, object, result } = line;
        this.journal.push([action, `${String(object)}:`, result].join(" "));
        return Promise.resolve();
      },
    };
  }
}

function changesOf(changes: ConfigurationChanges | true): ConfigurationChanges {
  return changes === true ? {} : changes;
}

type SwapFlags = SwapOptions & Pick<World, "dryRun">;

/** The flags as they are when nothing is given. */
export function aSwap(): SwapFlags {
  return {
    namespace: "engine",
    template: aTemplate(),
    dryRun: "none",
    skip: [],
    takeFields: [],
    takeTemplateSelectors: false,
    takeTemplateRules: false,
    fieldManager: "kubectl-engine",
    waitSecretMs: 60_000,
    wait: false,
    timeoutMs: 60_000,
    probe: true,
    probePair: undefined,
  };
}

/** Codes of a report's findings. */
export function codesOf({ findings = [] }: Report): readonly string[] {
  return findings.map(({ code }) => code);
}

/** `id: result` of a report's steps. */
export function stepsOf({ steps = [] }: Report): readonly string[] {
  return steps.map(({ id, result }) => `${id}: ${result}`);
}

/** A write of the run, not a dry run. */
export function isWrite(verb: Call["verb"]): (call: Call) => boolean {
  return (call) => call.verb === verb && !call.dryRun;
}

/** What the end of every successful swap looks like. */
export function expectWanted(scene: Scene): void {
  expect(scene.old()).toBeUndefined();
  expect(scene.entry()).toMatchObject({
    name: defaultNames.webhook.entry,
    failurePolicy: "Fail",
    clientConfig: { service: { name: "admission", namespace: "engine" }, caBundle: testCa },
  });
}
