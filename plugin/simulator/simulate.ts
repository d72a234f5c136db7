/** The cluster of a rehearsal, put together: the objects in memory and the real webhook program. */
import { defaultNames, type Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import { type ClosableAdmission, createAdmission } from "./admission/admission";
import { rbac } from "./authorization/grants";
import { createRegistry } from "./kinds/registry";
import { MemoryControlPlane } from "./api-server/control-plane";
import type { AccessControl } from "./model";
import { settleWorkloads } from "./operator/settled";
import { playAlong, type PlayedClock } from "./operator/controller";
import { PlayedApis } from "./rest-apis";
import type { Source } from "./source/completion";
import { VirtualClock } from "../ports/virtual-clock";
import { makeWebhookFolder, type RunningWebhook, startWebhookProcess } from "./webhook-process";
import { routeTo } from "./service-route";

/** What it is made of. */
interface EmbeddedWish {
  readonly source: Source;
  /** The operator's namespace: the webhook program plays its Service. */
  readonly namespace: string;
  readonly names: Names;
  /** Finds the webhook program, when it is first called; throws UsageError where there is none. */
  readonly webhook: () => Promise<string>;
  readonly now: number;
  readonly access?: AccessControl;
  readonly signal: AbortSignal;
}

/** A cluster that is ready, until it is closed. */
export interface Embedded {
  readonly controlPlane: MemoryControlPlane;
  readonly clock: VirtualClock;
  /** The clock of the commands: their waits let the operator play. */
  readonly played: PlayedClock;
  /** The REST APIs of its clusters. */
  readonly apis: PlayedApis;
  /** False where no key pair is there for the webhook to serve with. */
  readonly hasPair: boolean;
  /** The webhook program, once it was called. */
  webhook(): RunningWebhook | undefined;
  /** Entries that were not treated as on a real cluster, and why. */
  readonly skipped: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Loads the objects; what was begun is taken down when something fails. */
export async function openEmbedded(wish: EmbeddedWish): Promise<Embedded> {
  const { source, names, namespace } = wish;
  const clusters = source.objects.filter((object) => isCluster(object, names));
  const pair = source.pairs.find((one) => one.namespace === namespace);
  const folder = makeWebhookFolder(pair, clusters, names);
  const skipped = new Map<string, string>();
  const program = new Program(async () =>
    startWebhookProcess({
      ...folder,
      ...wish,
      file: await wish.webhook(),
      namesFile: names === defaultNames ? undefined : folder.namesFile,
    }),
  );
  let admission: ClosableAdmission | undefined;
  let apis: PlayedApis | undefined;
  const close = async (): Promise<void> => {
    await apis?.close();
    admission?.close();
    await program.stop();
    folder.remove();
  };
  try {
    const clock = new VirtualClock(wish.now);
    const route = routeTo({
      ...{ namespace, names },
      port: pair === undefined ? undefined : () => program.port(),
    });
    admission = createAdmission({
      clock,
      route,
      onSkipped: (entry, why) => skipped.set(entry, why),
    });
    const controlPlane = new MemoryControlPlane({
      clock,
      registry: createRegistry(),
      access: wish.access ?? rbac,
      admission,
      ...(source.version !== undefined && { version: source.version }),
    });
    controlPlane.load(settleWorkloads(source.objects, { ...wish, registry: createRegistry() }));
    controlPlane.onChange(({ object }) => {
      if (!isCluster(object, names)) return;
      const all = controlPlane.state.list({ group: names.group, plural: names.ec.plural });
      folder.writeClusters(all);
    });
    apis = new PlayedApis({ controlPlane, clock, names });
    const played = playAlong({ controlPlane, clock, names, namespace, apis });
    const hasPair = pair !== undefined;
    const webhook = () => program.running;
    return { controlPlane, clock, played, apis, hasPair, webhook, skipped, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The webhook program: started by the first call, stopped with the rehearsal. */
class Program {
  running: RunningWebhook | undefined;
  private starting: Promise<RunningWebhook> | undefined;

  constructor(private readonly start: () => Promise<RunningWebhook>) {}

  async port(): Promise<number> {
    this.starting ??= this.start();
    this.running = await this.starting;
    return this.running.port;
  }

  async stop(): Promise<void> {
    // one that did not start has said so to who called it
    const running = await this.starting?.catch(() => undefined);
    await running?.stop();
  }
}

function isCluster({ apiVersion, kind }: KubeObject, names: Names): boolean {
  return kind === names.ec.kind && apiVersion.startsWith(`${names.group}/`);
}
