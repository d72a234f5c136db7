/** A webhook that answers probes as a test says, at moments from the write of the operator's Deployment on. */
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { ApiError, UnavailableError } from "../../plugin/domain/base/errors";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { withMethods } from "../../plugin/ports/delegate";
import type { KubeClient, KubeObject, WriteOptions } from "../../plugin/ports/kubernetes";
import type { PlayedWorld } from "./played-operator";

/** Milliseconds after the write of the operator's Deployment. */
export type Times = readonly (readonly [from: number, to: number])[];

const refusal = (message: string, status = 403): ApiError =>
  new ApiError(message, { status, reason: status === 429 ? "TooManyRequests" : "Forbidden" });

/** The API server waits so long for the webhook. */
const patienceMs = 10_000;

/** What comes back in place of the webhook's answer; undefined: the edit is accepted. */
type Conduct = (asked: {
  readonly entry: string;
  readonly world: PlayedWorld;
  readonly signal: AbortSignal | undefined;
}) => Promise<Error | undefined>;

const at =
  (error: Error | undefined): Conduct =>
  () =>
    Promise.resolve(error);

/** Ways to answer wrongly. */
export const conducts = {
  /** Nothing listens. */
  down: ({ entry }) =>
    Promise.resolve(refusal(`failed calling webhook "${entry}": connection refused`)),
  /** It does not answer, which the API server waits for. */
  silent: async ({ entry, world, signal }) => {
    await world.clock.sleep(patienceMs, signal);
    return refusal(`failed calling webhook "${entry}": context deadline exceeded`);
  },
  /** It, or an API server with failurePolicy Ignore that calls it in vain, lets everything pass. */
  lenient: at(undefined),
  /** It refuses good edits as well. */
  refusing: ({ entry }) =>
    Promise.resolve(refusal(`admission webhook "${entry}" denied the request: not now`)),
  away: at(new UnavailableError("the API server is away")),
  busy: at(refusal("the server has received too many requests", 429)),
  forbidden: at(refusal('databases is forbidden: User "jane" cannot create resource "databases"')),
  otherRefuses: at(refusal('admission webhook "quota.example" denied the request: no quota')),
  otherFails: at(refusal('failed calling webhook "quota.example": connection refused')),
  policy: at(
    refusal(
      "databases \"a\" is forbidden: ValidatingAdmissionPolicy 'frozen' with binding 'all' denied request: frozen",
    ),
  ),
} satisfies Readonly<Record<string, Conduct>>;

/** When it answers how; otherwise it refuses bad edits and accepts good ones. */
export type Script = Partial<Readonly<Record<keyof typeof conducts, Times>>>;

/** Keeps when each probe came, and when the Deployment was written. */
export class ScriptedWebhook {
  readonly probes: number[] = [];
  readonly cluster: KubeClient;
  writtenAt = Infinity;

  constructor(
    private readonly world: PlayedWorld,
    private readonly script: Script,
    inner: KubeClient = world.cluster,
  ) {
    this.cluster = withMethods(inner, {
      create: async (object, options) => {
        const isProbe = options?.dryRun === true && object.metadata.name?.includes("-probe-");
        if (isProbe !== true) return await inner.create(object, options);
        return await this.#probe(object, options);
      },
      apply: async (object, options) => {
        const stored = await inner.apply(object, options);
        const isOperator = object.metadata.name === names.operator.deployment;
        if (object.kind === "Deployment" && isOperator && options.dryRun !== true)
          this.writtenAt = world.clock.now();
        return stored;
      },
    });
  }

  #conduct(): Conduct | undefined {
    const now = this.world.clock.now() - this.writtenAt;
    const found = Object.entries(this.script).find(([, times]) =>
      times.some(([from, to]) => from <= now && now < to),
    );
    return found && conducts[found[0] as keyof typeof conducts];
  }

  async #probe(object: KubeObject, options: WriteOptions | undefined): Promise<KubeObject> {
    this.probes.push(this.world.clock.now());
    const entry = await this.#entry();
    const conduct = this.#conduct();
    const { world } = this;
    if (conduct !== undefined) {
      const error = await conduct({ entry, world, signal: options?.signal });
      if (error !== undefined) throw error;
      return object;
    }
    const isBad = /"0\.0"|""/.test(JSON.stringify(object));
    if (isBad) throw refusal(`admission webhook "${entry}" denied the request: no such version`);
    return object;
  }

  /** The one that refuses: the new one as soon as it is there. */
  async #entry(): Promise<string> {
    const { configuration, entry, oldEntry } = names.webhook;
    const { cluster } = this.world;
    const found = await cluster.get({ resource: configurationResource, name: configuration });
    return found === undefined ? oldEntry : entry;
  }

  /** How many came in these milliseconds after the write. */
  count(from: number, to: number): number {
    const begin = this.writtenAt;
    return this.probes.filter((moment) => moment >= begin + from && moment < begin + to).length;
  }
}
