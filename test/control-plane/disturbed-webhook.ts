/** The webhook behind its Service, disturbed while something else is done; each disturbance knows how long it truly was. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { asArray, numberAt } from "../../plugin/domain/base/values";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { GapWindow } from "../../plugin/kernel/report";
import { makePair, type Pair, writeTlsFolder } from "./certificate";
import type { ControlPlane } from "./control-plane";
import { type Conduct, startStandIn } from "./stand-in-webhook";
import { startWebhook, type Webhook } from "./webhook-process";

/** Two moments, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** When edits were stopped, or bad ones passed: certainly in `sure`, at most in `may`. */
export interface Truth {
  readonly is: GapWindow["is"];
  readonly sure?: Span;
  readonly may: Span;
}

/** A number between two. */
export type Between = (least: number, most: number) => number;

export const disturbances = [
  "none",
  "stopped",
  "replaced",
  "heldUp",
  "late",
  "refusing",
  "allowing",
  "otherCertificate",
  "serverHeldUp",
  "serverStopped",
] as const;
export type Disturbance = (typeof disturbances)[number];

interface Place {
  readonly controlPlane: ControlPlane;
  readonly namespace: string;
  readonly pair: Pair;
  readonly between: Between;
}

const configurationKind = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: kinds.webhookConfiguration.kind,
};

/** How long the webhook is another one, or none: longer than the longest time between two probes where they are few. */
const lastsMs = { often: [2_500, 4_000], seldom: [6_500, 9_000] } as const;

/** How often it is probed meanwhile. */
export type Probed = keyof typeof lastsMs;

export class DisturbedWebhook {
  #webhook: Webhook | undefined;

  constructor(private readonly place: Place) {}

  async start(pair: Pair = this.place.pair): Promise<void> {
    const { controlPlane, namespace } = this.place;
    const tlsDir = join(controlPlane.site.dataDir, "webhook-tls");
    writeTlsFolder(tlsDir, pair);
    // for what a database had before there was a webhook
    const env = { ENGINE_WEBHOOK_BYPASS_GROUPS: "system:masters" };
    this.#webhook = await startWebhook({ controlPlane, namespace, tlsDir, env });
  }

  /** Disturbs, and puts everything back. */
  async disturb(how: Disturbance, probed: Probed): Promise<readonly Truth[]> {
    const { between, controlPlane, namespace } = this.place;
    const [least, most] = lastsMs[probed];
    const last = (): Promise<void> => pause(between(least, most));
    const nothing: readonly Truth[] = [];
    const ways: Readonly<Record<Disturbance, () => Promise<readonly Truth[]>>> = {
      none: () => Promise.resolve(nothing),
      stopped: () => this.#without(last),
      replaced: () => this.#without(() => Promise.resolve()),
      heldUp: () => this.#heldUp(this.#pid, between(1_500, 3_500)),
      late: async () =>
        await this.#heldUp(this.#pid, (await this.#patienceMs()) + between(2_000, 4_000)),
      refusing: () => this.#without(() => this.#standIn("refuses", last)),
      allowing: () => this.#allowing(last),
      otherCertificate: () =>
        this.#without(async () => {
          await this.start(makePair({ namespace }));
          await last();
          await this.#webhook?.stop();
        }),
      serverHeldUp: async () => {
        await this.#heldUp(controlPlane.pid, between(1_500, 3_500));
        return nothing;
      },
      serverStopped: async () => {
        await controlPlane.withoutServer(() => pause(between(500, 1_500)));
        return nothing;
      },
    };
    return await ways[how]();
  }

  get #pid(): number | undefined {
    return this.#webhook?.daemon.pid;
  }

  /** Edits are stopped from its end until it serves again, whatever stands there meanwhile. */
  async #without(meanwhile: () => Promise<unknown>): Promise<readonly Truth[]> {
    const before = Date.now();
    await this.#webhook?.stop();
    const gone = Date.now();
    await meanwhile();
    const back = Date.now();
    await this.start();
    const may = { from: before, to: Date.now() };
    return [{ is: "outage", sure: { from: gone, to: back }, may }];
  }

  /** An edit is stopped when its answer comes after the API server's patience: of those that wait less, none is. */
  async #heldUp(pid: number | undefined, ms: number): Promise<readonly Truth[]> {
    if (pid === undefined) throw new Error("it does not run");
    const patienceMs = await this.#patienceMs();
    const from = Date.now();
    process.kill(pid, "SIGSTOP");
    await pause(ms);
    process.kill(pid, "SIGCONT");
    const to = Date.now();
    return to - from < patienceMs ? [] : [{ is: "outage", may: { from, to } }];
  }

  /** How long the API server waits for the webhook, by the configurations in force. */
  async #patienceMs(): Promise<number> {
    const { api } = this.place.controlPlane;
    const { configuration, oldConfiguration } = names.webhook;
    const found = await Promise.all(
      [configuration, oldConfiguration].map((name) =>
        api.read({ ...configurationKind, metadata: { name } }),
      ),
    );
    const entries = found.flatMap((one) => asArray(one?.["webhooks"]));
    return 1_000 * Math.max(...entries.map((one) => numberAt(one, ["timeoutSeconds"], 10)));
  }

  async #standIn(conduct: Conduct, meanwhile: () => Promise<unknown>): Promise<Span> {
    const { pair } = this.place;
    const host = this.#webhook?.host;
    if (host === undefined) throw new Error("the webhook has no address");
    const standIn = await startStandIn(host, pair, conduct);
    const from = Date.now();
    await meanwhile();
    const to = Date.now();
    await standIn.close();
    return { from, to };
  }

  /** Good edits pass but for the moments of the change, and the bad ones with them. */
  async #allowing(meanwhile: () => Promise<unknown>): Promise<readonly Truth[]> {
    let sure: Span | undefined;
    const truths = await this.#without(async () => {
      sure = await this.#standIn("allows", meanwhile);
    });
    return truths.flatMap(({ may }): readonly Truth[] => [
      { is: "outage", may },
      { is: "bypass", may, ...(sure !== undefined && { sure }) },
    ]);
  }
}
