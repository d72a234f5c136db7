/**
 * What edits meet with while the webhook is rolled out and while its certificate rotates: two
 * replicas behind one Service, and 200 edits a second, right and wrong ones, from a process of
 * their own.
 */
import { join } from "node:path";
import { fingerprint, makePair, type Pair, writeTlsFolder } from "./certificate";
import { type ControlPlane, startControlPlane } from "./control-plane";
import {
  type EditStream,
  between,
  isBypass,
  isOutage,
  startEditStream,
  streamer,
} from "./edit-stream";
import type { Answer } from "./edit-stream-process";
import { Replicas, sumOf } from "./webhook-replicas";
import { type Scene, seedScene } from "./scene";
import { putNewConfiguration, trustPairs, untilCalled } from "./swap-states";
import { newEntryName } from "./webhook-configurations";

jest.setTimeout(360_000);

let controlPlane: ControlPlane;
let scene: Scene;
let replicas: Replicas;
let tlsDir: string;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [streamer] });
  scene = await seedScene(controlPlane.api);
  tlsDir = join(controlPlane.site.dataDir, "tls");
  writeTlsFolder(tlsDir, scene.pair);
  replicas = await Replicas.start({ controlPlane, scene, tlsDir });
  await putNewConfiguration(controlPlane.api, scene);
  await untilCalled(controlPlane.api, scene, { entry: newEntryName });
});
afterAll(async () => {
  await replicas.close();
  await controlPlane.stop();
});

/** Streams edits around the work; every answer to them. */
async function streaming(work: (stream: EditStream) => Promise<void>): Promise<readonly Answer[]> {
  const stream = await startEditStream(controlPlane, scene, { everyMs: 10 });
  try {
    await work(stream);
    await stream.seen("invalid", () => true);
    await stream.seen("valid", () => true);
  } catch (error) {
    await stream.stop();
    throw error;
  }
  return stream.stop();
}

/** Everything but a right edit that was accepted and a wrong one that the webhook refused. */
function failed(answers: readonly Answer[]): readonly Answer[] {
  const denied = ({ status, message }: Answer): boolean =>
    status === 422 && message.includes("denied the request");
  return answers.filter((answer) =>
    answer.twin === "valid" ? isOutage(answer) : isBypass(answer) || !denied(answer),
  );
}

/** Something that edits could meet with, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

async function timed(act: () => Promise<void>): Promise<Span> {
  const from = Date.now();
  await act();
  return { from, to: Date.now() };
}

/** The stream did not stall, since one that does sees no gap: right and wrong edits met with each. */
function expectMet(answers: readonly Answer[], spans: readonly Span[]): void {
  const counts = spans.flatMap((span) =>
    (["valid", "invalid"] as const).map((twin) => between(answers, twin, span).length),
  );
  expect(Math.min(...counts)).toBeGreaterThan(0);
}

/** The API server's own account of its calls. */
async function calls(): Promise<{ readonly verdicts: number; readonly errors: number }> {
  const metrics = String((await controlPlane.api.send("GET", "/metrics")).body);
  const total = "apiserver_admission_webhook_request_total";
  return {
    verdicts: sumOf(metrics, total, { code: "200" }) + sumOf(metrics, total, { code: "422" }),
    errors: sumOf(metrics, "apiserver_admission_webhook_rejection_count", {
      error_type: "calling_webhook_error",
    }),
  };
}

test("10 rollouts of both replicas fail no edit", async () => {
  const { errors } = await calls();
  const rollOuts: Span[] = [];
  const answers = await streaming(async () => {
    for (let n = 0; n < 10; n += 1) rollOuts.push(await timed(() => replicas.roll()));
  });
  expect(failed(answers)).toEqual([]);
  expect((await calls()).errors).toBe(errors);
  expectMet(answers, rollOuts);
  const given = replicas.given();
  expect(given).toHaveLength(22);
  // one replica of a rollout may be passed over; of both together every edit after it was judged
  const byRollOut = given.flatMap((_, n) => (n % 2 === 0 ? [sum(given.slice(n, n + 2))] : []));
  expect(Math.min(...byRollOut)).toBeGreaterThan(0);
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** What must never be served, and what is said of it. */
const unfit: readonly (readonly [RegExp, (namespace: string) => Partial<Pair>])[] = [
  [
    /not the private key of/,
    (namespace) => ({ ...makePair({ namespace }), privateKey: makePair({ namespace }).privateKey }),
  ],
  [
    /cert is not valid PEM/,
    (namespace) => {
      const { cert, privateKey } = makePair({ namespace });
      return { cert: cert.slice(0, cert.length / 2), privateKey };
    },
  ],
  [
    /expired at/,
    (namespace) => makePair({ namespace, notBefore: new Date(0), notAfter: new Date(1) }),
  ],
  [/has to hold the items/, (namespace) => ({ privateKey: makePair({ namespace }).privateKey })],
  [/valid for admission\.elsewhere/, () => makePair({ namespace: "elsewhere" })],
];

async function untilServed({ cert }: Pair): Promise<void> {
  await replicas.allSay(
    "that it serves the folder's pair",
    ({ ready, certificate }) =>
      ready && certificate.matchesFolder && certificate.sha256 === fingerprint(cert),
  );
}

async function untilRefused(said: RegExp, { cert }: Pair): Promise<void> {
  await replicas.allSay(
    "that it refuses the folder and keeps the last good pair",
    ({ ready, certificate: { matchesFolder, sha256, problem = "" } }) =>
      ready && !matchesFolder && sha256 === fingerprint(cert) && said.test(problem),
  );
}

test("100 rotations of the certificate, and unfit ones between them, fail no edit", async () => {
  const { api } = controlPlane;
  const pairs = Array.from({ length: 5 }, () => makePair({ namespace: scene.namespace }));
  const contents = unfit.map(([said, make]) => ({ said, content: make(scene.namespace) }));
  const before = await calls();
  const dialled = sum(replicas.given());
  const judged = sumOf(await replicas.metrics(), "engine_admission_requests_total");
  let served = scene.pair;
  const rotate = async (n: number, next: Pair): Promise<void> => {
    await trustPairs(api, scene, { pairs: [served, next], entry: `n${String(n)}.rotation.engine` });
    writeTlsFolder(tlsDir, next);
    await untilServed(next);
    served = next;
  };

  const rotations: Span[] = [];
  const answers = await streaming(async (stream) => {
    // a rotation may take less time than a busy machine leaves the stream without any
    const met = async (): Promise<void> => {
      await Promise.all([stream.seen("valid", () => true), stream.seen("invalid", () => true)]);
    };
    for (let n = 0; n < 100; n += 1) {
      const { said, content } = contents[(n / 5) % contents.length] ?? {};
      if (said !== undefined && content !== undefined) {
        writeTlsFolder(tlsDir, content);
        await untilRefused(said, served);
      }
      const next = pairs[n % pairs.length] ?? served;
      rotations.push(
        await timed(async () => {
          await Promise.all([rotate(n, next), met()]);
        }),
      );
    }
  });

  expect(failed(answers)).toEqual([]);
  const after = await calls();
  expect(after.errors).toBe(before.errors);
  expectMet(answers, rotations);
  // Every pair has shaken hands with the API server.
  expect(sum(replicas.given()) - dialled).toBeGreaterThanOrEqual(100);
  const metrics = await replicas.metrics();
  expect(sumOf(metrics, "engine_admission_requests_total") - judged).toBe(
    after.verdicts - before.verdicts,
  );
  const reloads = (outcome: string): number =>
    sumOf(metrics, "engine_admission_tls_reload_total", { outcome });
  expect(reloads("served")).toBe(2 * 101);
  expect(reloads("refused")).toBeGreaterThanOrEqual(2 * 20);
  expect(sumOf(metrics, "engine_admission_panics_total")).toBe(0);
});

test("replicas that are killed fail edits: the measurement can fail", async () => {
  const answers = await streaming(() => replicas.stop({ patienceMs: 0 }));
  expect(failed(answers).some(({ message }) => message.includes("failed calling webhook"))).toBe(
    true,
  );
});
