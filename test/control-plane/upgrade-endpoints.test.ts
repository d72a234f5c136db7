/**
 * `kubectl engine upgrade` where the API server calls the webhook at the endpoints of its Service: the operator's own
 * restart leaves the Service without any for a moment, and that hole is what the report tells. How long it truly was is
 * seen by edits of a process of its own.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import type { Duplex } from "node:stream";
import { join } from "node:path";
import { systemClock } from "../../plugin/adapters/clock";
import { readyEndpoints } from "../../plugin/domain/admission/configuration";
import { kinds } from "../../plugin/domain/kube/kinds";
import { repeat } from "../../plugin/ports/kubernetes";
import type { GapReport } from "../../plugin/kernel/report";
import { releaseShapes } from "../support/releases/versions";
import { admissionSecret, caBundleOf, makePair, writeTlsFolder } from "./certificate";
import type { Truth } from "./disturbed-webhook";
import { between, isOutage, startEditStream, streamer } from "./edit-stream";
import type { Answer } from "./edit-stream-process";
import { judgeWindows } from "./observed-holes";
import { admissionService } from "./operator";
import { shortTimes, whilePlaying } from "./played-operator";
import { until } from "./until";
import { namespace, openUpgradeScene, selector } from "./upgrade-scene";
import { oldConfiguration } from "./webhook-configurations";
import { startWebhook, type Webhook } from "./webhook-process";
import { ofKind } from "../../plugin/domain/kube/typed";

jest.setTimeout(300_000);

const pair = makePair({ namespace });
const release = "7.22.0-7";

/** Whatever endpoint is asked for, the one webhook answers. */
async function startProxy(): Promise<{
  /** It listens there. */
  readonly socket: string;
  lead(to: Pick<Webhook, "host" | "port">): void;
  /** Ends the connections that stand, as those of a pod that is gone. */
  cut(): void;
  close(): Promise<void>;
}> {
  let to: Pick<Webhook, "host" | "port"> | undefined;
  const server = createServer();
  const open = new Set<Duplex>();
  const cut = (): void => {
    for (const one of open) one.destroy();
  };
  server.on("connect", (_request, near) => {
    if (to === undefined) {
      near.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const far = dial(to.port, to.host, () => {
      near.write("HTTP/1.1 200 OK\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one));
    }
  });
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  const socket = join(folder, "socket");
  server.listen(socket);
  await once(server, "listening");
  return {
    socket,
    lead: (webhook) => {
      to = webhook;
    },
    cut,
    close: async () => {
      server.close();
      cut();
      server.closeAllConnections();
      await once(server, "close");
      rmSync(folder, { recursive: true });
    },
  };
}

/** How long valid edits were stopped, of all holes together: from the first answer of each to its last, and between the good ones around it. */
function lengthOf(answers: readonly Answer[]): Truth | undefined {
  const valid = between(answers, "valid");
  if (!valid.some(isOutage)) return undefined;
  let [sureMs, mayMs] = [0, 0];
  for (const [index, first] of valid.entries()) {
    const before = valid[index - 1];
    if (!isOutage(first) || (before !== undefined && isOutage(before))) continue;
    const good = valid.findIndex((one, at) => at > index && !isOutage(one));
    const last = valid.at(good === -1 ? -1 : good - 1) ?? first;
    sureMs += Math.max(0, last.from - first.to);
    mayMs += (valid[good] ?? last).to - (before ?? first).from;
  }
  return { is: "outage", sure: { from: 0, to: sureMs }, may: { from: 0, to: mayMs } };
}

test("the restart of the operator leaves its Service without endpoints: that hole is told, within its bounds", async () => {
  const proxy = await startProxy();
  const server = { endpointsThrough: proxy.socket };
  const scene = await openUpgradeScene({ pair, webhook: false, server, users: [streamer] });
  const { controlPlane, cluster } = scene;
  const { api } = controlPlane;
  const versions = { "7.4.2-2": releaseShapes["7.4.2-2"].cluster };
  // the operator's pod takes its time, so that there is something to see
  const times = { ...shortTimes, staleRunningMs: 100, podStartMs: 1_000, podReadyMs: 1_500 };
  try {
    await api.create(admissionSecret(namespace, pair));
    await until("the Service", () => api.read(admissionService(namespace)));
    const tlsDir = join(controlPlane.site.dataDir, "webhook-tls");
    writeTlsFolder(tlsDir, pair);
    proxy.lead(await startWebhook({ controlPlane, namespace, tlsDir }));
    await whilePlaying({ cluster, namespace, times, versions }, async () => {
      const entry = { namespaceSelector: selector };
      const old = oldConfiguration({ namespace, caBundle: caBundleOf(pair.cert), entry });
      await api.create(old, "kubectl-create");
      const databases = [{ name: "config", version: "7.2" }];
      const stream = await startEditStream(controlPlane, { namespace, databases });
      await stream.seen("valid", (answer) => !isOutage(answer));
      const following = repeat(systemClock, async () => {
        const slices = (await cluster.list(kinds.endpointSlice, { namespace })) ?? [];
        if (readyEndpoints(ofKind(slices, kinds.endpointSlice.kind)) === 0) proxy.cut();
        return 20;
      });
      const { code, report } = await scene.upgrade(release, ["--yes", "--only", "rbac,operator"]);
      await stream.seen("valid", (answer) => !isOutage(answer));
      await following.stop();
      const answers = await stream.stop();
      const truth = lengthOf(answers);
      const { windows = [], ...gap } = report.gap as GapReport;
      const told = JSON.stringify({ code, truth, gap: { ...gap, answers: undefined, windows } });
      expect([code, truth === undefined, told]).toEqual([0, false, told]);
      const stopped = between(answers, "valid").filter(isOutage);
      const says = stopped.map(({ message }) => message).join("\n");
      expect(says).toContain('no endpoints available for service "admission"');
      const probes = [{ from: 0, to: Infinity }];
      expect([windows.length > 0, told]).toEqual([true, told]);
      const outages = windows.filter(({ is }) => is === "outage");
      expect([judgeWindows(outages, { truth, probes, mayBe: 0 }), told]).toEqual([[], told]);
      expect([windows.filter(({ is }) => is === "bypass"), told]).toEqual([[], told]);
    });
  } finally {
    await scene.close();
    await proxy.close();
  }
});
