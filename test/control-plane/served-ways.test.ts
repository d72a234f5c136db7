/**
 * Chains of certificates behind a caBundle: what an API server takes is called whole, what it refuses is repaired. And a
 * Service without an address, which only the API server's answer tells.
 */
import type { StatusDetails } from "../../plugin/commands/status/screen";
import { certify, type Pair as Certified } from "../support/tls";
import { admissionSecret, caBundleOf } from "./certificate";
import { admissionService } from "./operator";
import { containing, errorsIn, runPlugin } from "./plugin-run";
import { type StandIn, startStandIn } from "./stand-in-webhook";
import { openSuite, type Suite, verdictsOf } from "./suite";
import { putNewConfiguration, runSwap } from "./swap-states";
import { until } from "./until";

let suite: Suite;
let standIn: StandIn | undefined;
beforeAll(async () => {
  suite = await openSuite({ server: "stand-in" });
  await suite.stopServer();
});
afterEach(() => standIn?.close());
afterAll(() => suite.close());

const days = [-400, 400] as const;
const dns = ["admission.engine.svc"];
const root = certify({ commonName: "corporate", days });
const middle = certify({ commonName: "corporate, servers", days }, root);
const below = certify({ commonName: "below", dns, days }, middle);
const direct = certify({ commonName: "direct", dns, days }, root);
const over = certify({ commonName: "corporate 2015", days: [-40, -20] });
const late = certify({ commonName: "late", dns, days }, over);

/** What the server sends, its own certificate first, and what is trusted, PEM. */
interface Chain {
  readonly sent: readonly string[];
  readonly trusted: string;
}

/** Serves a certificate, with what it sends along, under a caBundle. */
async function serve({ key }: Certified, { sent, trusted }: Chain): Promise<void> {
  const { api, scene } = suite;
  const pair = { cert: sent.join(""), privateKey: key };
  standIn = await startStandIn(scene.clusterIP, pair);
  await api.replace(admissionSecret(scene.namespace, pair));
  await putNewConfiguration(api, { ...scene, caBundle: caBundleOf(trusted) });
}

/** The API server acts on a configuration a moment after it was stored. */
async function untilAnswered(right: "accepted" | "refused"): Promise<void> {
  const { api, scene } = suite;
  await until(`good edits to be ${right}`, async () => {
    const found = await verdictsOf(api, scene.namespace);
    return found.right === right && (right === "refused" || found.wrongRefusedBy !== undefined)
      ? found
      : undefined;
  });
}

const ofTheWay = (codes: readonly string[]): readonly string[] =>
  codes.filter((code) => /^(WEBHOOK|CERT|SECRET)-/.test(code));

async function look(): Promise<readonly [codes: readonly string[], is: string]> {
  const { controlPlane, scene } = suite;
  const { report } = await runPlugin(controlPlane, ["check"], scene);
  const status = await runPlugin(controlPlane, ["status"], scene);
  return [ofTheWay(errorsIn(report)), (status.report.details as StatusDetails).webhook.verdict.is];
}

test.each<[string, Certified, Chain]>([
  [
    "an intermediate that is sent along",
    below,
    { sent: [below.cert, middle.cert], trusted: root.cert },
  ],
  [
    "an expired CA before the one that issued it",
    direct,
    { sent: [direct.cert], trusted: over.cert + root.cert },
  ],
])("whole: %s", async (_title, pair, chain) => {
  await serve(pair, chain);
  await untilAnswered("accepted");
  expect(await look()).toEqual([[], "fine"]);
});

test.each<[string, Certified, string]>([
  ["an intermediate that is not sent along", below, root.cert],
  ["the CA that issued it has expired, beside a good one", late, over.cert + root.cert],
])("broken, and repaired by the printed line: %s", async (_title, pair, trusted) => {
  await serve(pair, { sent: [pair.cert], trusted });
  await untilAnswered("refused");
  expect(await look()).toEqual([["WEBHOOK-CA-STALE"], "stalled"]);
  const { report } = await runSwap(suite.controlPlane);
  expect(report.exit.code).toBe(0);
  await untilAnswered("accepted");
  expect(await look()).toEqual([[], "fine"]);
});

// the last one: a Service that is made anew has another address
test("a Service without an address is told by the answer, by each command that asks", async () => {
  const { api, scene, controlPlane } = suite;
  await serve(direct, { sent: [direct.cert], trusted: direct.cert });
  await untilAnswered("accepted");
  const service = admissionService(scene.namespace);
  await api.remove(service);
  await api.create({ ...service, spec: { ...(service["spec"] as object), clusterIP: "None" } });
  // connections that are open are used on without a look at the Service
  await standIn?.close();
  await untilAnswered("refused");
  const expected = {
    code: "WEBHOOK-UNREACHABLE",
    fix: containing("with upgrade-operator --release SOURCE"),
  };
  const status = await runPlugin(controlPlane, ["status"], scene);
  const { webhook } = status.report.details as StatusDetails;
  expect(webhook.verdict).toMatchObject({ is: "stalled", ...expected });
  const swap = await runSwap(controlPlane);
  expect([swap.report.exit.code, swap.writes]).toEqual([7, []]);
  expect(swap.report.findings).toContainEqual(expect.objectContaining(expected));
});
