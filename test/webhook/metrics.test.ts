import { Metrics, type ReviewFacts } from "../../webhook/metrics";

const facts: ReviewFacts = {
  kind: "EngineEnterpriseDatabase",
  operation: "UPDATE",
  version: "v1",
  dryRun: false,
  verdict: "allow",
  rule: "none",
  wouldDeny: [],
  uncertain: [],
  bypass: "none",
};
const took = { seconds: 0.0004, bytes: 4_000 };

async function linesOf(metrics: Metrics, name: string): Promise<readonly string[]> {
  const { text } = await metrics.render();
  return text.split("\n").filter((line) => line.startsWith(`engine_admission_${name}`));
}

const own = (name: string, ...values: readonly string[]) =>
  values.map((value) => `engine_admission_${name}${value}`);
const confirm = (outcome: "confirmed" | "overturned") =>
  ({ live: { reason: "confirm", outcome } }) as const;

test.each<[string, Partial<ReviewFacts>, string, readonly string[]]>([
  [
    "a review by its labels",
    {},
    "requests_total",
    [
      '{kind="EngineEnterpriseDatabase",operation="UPDATE",verdict="allow",rule="none",dry_run="false",review_version="v1"} 1',
    ],
  ],
  [
    "a live read",
    confirm("confirmed"),
    "live_get_total",
    ['{reason="confirm",outcome="confirmed"} 1'],
  ],
  ["a confirmed denial as none", confirm("confirmed"), "deny_overturned_total", [" 0"]],
  ["a denial that was overturned", confirm("overturned"), "deny_overturned_total", [" 1"]],
  [
    "each rule",
    { wouldDeny: ["R1", "R3"] },
    "would_deny_total",
    ['{rule="R1"} 1', '{rule="R3"} 1'],
  ],
  [
    "what an EC does not tell",
    { uncertain: ["policy", "modules"] },
    "uncertain_total",
    ['{part="policy"} 1', '{part="modules"} 1'],
  ],
  ["a bypass that counted", { bypass: "granted" }, "bypass_total", ['{outcome="granted"} 1']],
  ["a rule that failed", { verdict: "error" }, "panics_total", [" 1"]],
])("counts %s", async (_name, ...[more, metric, lines]) => {
  const metrics = new Metrics();
  metrics.review({ ...facts, ...more }, took);
  expect(await linesOf(metrics, metric)).toEqual(own(metric, ...lines));
});

test("times and sizes are histograms", async () => {
  const metrics = new Metrics();
  metrics.review(facts, took);
  metrics.review(facts, { seconds: 60, bytes: 1_024 });
  const seconds = "request_duration_seconds_bucket";
  expect(await linesOf(metrics, seconds)).toEqual(
    expect.arrayContaining(
      own(seconds, '{le="0.00025"} 0', '{le="0.0005"} 1', '{le="10"} 1', '{le="+Inf"} 2'),
    ),
  );
  expect(await linesOf(metrics, "body_bytes_bucket")).toContain(
    'engine_admission_body_bytes_bucket{le="1024"} 1',
  );
  expect(await linesOf(metrics, "body_bytes_count")).toEqual(own("body_bytes_count", " 2"));
  expect(await linesOf(metrics, "body_bytes_sum")).toEqual(own("body_bytes_sum", " 5024"));
});

test("what was turned away and what was reloaded is counted", async () => {
  const metrics = new Metrics();
  metrics.shed("overloaded");
  metrics.reload("refused");
  expect(await linesOf(metrics, "shed_total")).toEqual(
    own("shed_total", '{reason="overloaded"} 1'),
  );
  expect(await linesOf(metrics, "tls_reload_total")).toEqual(
    own("tls_reload_total", '{outcome="refused"} 1'),
  );
});

test("gauges are read when someone looks", async () => {
  const metrics = new Metrics();
  const seen: { age?: number; notAfter?: string } = {};
  metrics.observe({
    inFlight: () => 3,
    cacheSynced: () => seen.age !== undefined,
    cacheAgeMs: () => seen.age,
    cacheObjects: () => 7,
    cacheRelists: () => 2,
    notAfter: () => seen.notAfter,
    clientCaNotAfter: () => undefined,
  });
  const before = own("", "cache_synced 0", "cache_last_event_age_seconds Nan", "cache_objects 7");
  expect(await linesOf(metrics, "cache")).toEqual([...before, ...own("", "cache_relists 2")]);
  seen.age = 2_500;
  seen.notAfter = "2030-01-01T00:00:00Z";
  const now = { cache_last_event_age_seconds: "2.5", cache_synced: "1", in_flight: "3" };
  const ends = { tls_not_after_seconds: "1893456000", client_ca_not_after_seconds: "Nan" };
  for (const [name, value] of Object.entries({ ...now, ...ends })) {
    expect(await linesOf(metrics, name)).toEqual(own(name, ` ${value}`));
  }
});
