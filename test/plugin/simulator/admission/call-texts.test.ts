/**
 * The embedded API server beside a real one: both call the same servers in vain, and say the same of them
 * (test/control-plane/call-texts.test.ts records what the real one says).
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { readTrouble } from "../../../../plugin/domain/admission/call-texts";
import { createAdmission } from "../../../../plugin/simulator/admission/admission";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { ManualClock } from "../../../support/manual-clock";
import { readProducedTexts, settleText } from "../../../support/produced-call-texts";
import {
  authority,
  namespace,
  onService,
  type Row,
  rows,
  service,
} from "../../../support/failing-calls";
import { attemptOf, person, stateOf } from "../authorization/state";
import { configuration, entry, trusting } from "./webhook-server";

/** HTTP/2, redirects, compression, proxies and what lies outside of this machine are not played. */
const unplayed =
  /^HTTP\/2|^a redirect|gzip|^chunks|^a type that is none$|^alert 200$|proxy|^a condition|^two conditions|Service that is another name$|not resolved$|^a group|the time of the edit$/;

/** Node does not tell what came instead of TLS or HTTP, and no other YAML is read than a word: other words, of the same. */
const reworded =
  /^(?:SSH|SSL 2|a database|a mail server|something else behind TLS|half HTTP behind TLS|a status that is none|two lengths|a review: (?:a page|binary|protobuf))$/;

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "a" } };
const clock = new ManualClock(Date.now());
const open: Server[] = [];
afterAll(() => {
  open.forEach((server) => server.close());
});

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(server);
  return (server.address() as AddressInfo).port;
}

/** Nothing listens there any more. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

const servicesWith = (port: number): readonly KubeObject[] =>
  Object.entries({
    [service]: { clusterIP: "127.96.0.7", ports: [{ port }] },
    headless: { clusterIP: "None", ports: [{ port: 443 }] },
  }).map(([name, spec]) => ({
    ...{ apiVersion: "v1", kind: "Service" },
    ...{ metadata: { name, namespace }, spec },
  }));

async function toldOf({ server, call, caBundle, entry: more }: Row): Promise<string> {
  const port = server === undefined ? await findFreePort() : await listen(server());
  const client = call?.(port) ?? onService({ port, path: "/admission" })();
  const admission = createAdmission({ clock, route: () => ({ host: "127.0.0.1", port }) });
  const made = trusting(entry("case", { ...more, clientConfig: client }), authority.cert);
  const webhook =
    caBundle === undefined ? made : { ...made, clientConfig: { ...client, caBundle } };
  const state = stateOf([...servicesWith(port), configuration("probe", [webhook])]);
  try {
    await admission.admit(attemptOf({ user: person("ann"), object }), state);
    return "admitted";
  } catch (error) {
    return (error as Error).message;
  } finally {
    admission.close();
  }
}

const produced = new Map(readProducedTexts().map((one) => [one.title, one]));

test.each(
  rows
    .filter(({ title, far }) => far === undefined && !unplayed.test(title))
    .map((row) => [row.title, row] as const),
)("%s", async (title, row) => {
  const text = await toldOf(row);
  const told = settleText(text);
  const real = produced.get(title)?.text;
  const seen = { told, real, isReworded: told !== real, means: readTrouble(text) };
  expect(seen).toEqual({ told, real, isReworded: reworded.test(title), means: row.means });
});
