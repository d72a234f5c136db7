import { anEndpointSlice, testCa } from "../../../support/builders";
import type { FactKey, Facts } from "../../../../plugin/domain/facts";
import type { ProbeOutcome } from "../../../../plugin/domain/status/admission";
import { aNewConfiguration, anOldConfiguration, certificate, statusOf, unread } from "./scene";

type Lists = Parameters<typeof statusOf>[0];

const withConfigurations = (
  ...webhookConfigurations: NonNullable<Lists>["webhookConfigurations"] & object
) => statusOf({ webhookConfigurations }).webhook;

test("in use and healthy: configuration, CA, endpoints and days left are told", () => {
  expect(statusOf().webhook).toMatchObject({
    configurations: [
      {
        name: "engine-enterprise-admission",
        old: false,
        serves: "engine",
        ca: "fits",
        placeholders: [],
      },
    ],
    readyEndpoints: 1,
    certificate: { notAfter: "2031-01-01T00:00:00Z", daysLeft: 1613 },
  });
});

test("while a certificate is renewed, the CA holds the old one and the new one", () => {
  const pem = (text: string): string =>
    `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  const encoded = (...texts: readonly string[]): string =>
    Buffer.from(texts.map(pem).join("")).toString("base64");
  const caOf = (...trusted: readonly string[]) =>
    statusOf(
      { webhookConfigurations: [aNewConfiguration({ caBundle: encoded(...trusted) })] },
      { certificate: { ...certificate, caBundle: encoded("NEW=") } },
    ).webhook.configurations[0]?.ca;
  expect([caOf("T0xE", "NEW="), caOf("T0xE")]).toEqual(["fits", "differs"]);
});

test("no configuration: the webhook is not in use (S24)", () => {
  expect(withConfigurations().verdict).toMatchObject({
    is: "absent",
    says: expect.stringContaining("not in use") as string,
  });
});

test("the old configuration works on, and is called old", () => {
  const { verdict, configurations } = withConfigurations(anOldConfiguration());
  expect(configurations).toMatchObject([{ name: "edb-admission", old: true, ca: "fits" }]);
  expect(verdict.is === "fine" && verdict.says).toMatch(/^edb-admission \(old\), CA fits/);
});

test("configurations of other operators are not looked at, but for the one of the fixed name", () => {
  const other = aNewConfiguration({
    namespace: "other",
    metadata: { name: "engine-enterprise-admission-other" },
  });
  const chart = aNewConfiguration({ metadata: { name: "engine-enterprise-admission-engine" } });
  expect(withConfigurations(other, chart).configurations.map(({ name }) => name)).toEqual([
    "engine-enterprise-admission-engine",
  ]);
});

const entryByUrl = { clientConfig: { url: "https://webhook.example", caBundle: testCa } };

test.each<[string, ReturnType<typeof aNewConfiguration>, string]>([
  [
    "another namespace",
    aNewConfiguration({ namespace: "other" }),
    "engine-enterprise-admission calls namespace other, which is not read here",
  ],
  [
    "the companion webhook",
    aNewConfiguration({ namespace: "engine-admission" }),
    "engine-enterprise-admission calls namespace engine-admission, which is not read here, the companion webhook",
  ],
  [
    "a URL",
    aNewConfiguration({ entry: entryByUrl }),
    "engine-enterprise-admission calls a URL, which is not read here",
  ],
])("a configuration that calls %s is unknown", (_title, configuration, because) => {
  expect(withConfigurations(configuration).verdict).toEqual({ is: "unknown", because });
});

test.each<[string, ReturnType<typeof aNewConfiguration>, RegExp]>([
  [
    "a placeholder left in it",
    aNewConfiguration({ namespace: "OPERATOR_NAMESPACE" }),
    /placeholder OPERATOR_NAMESPACE is left/,
  ],
  ["an empty caBundle", aNewConfiguration({ caBundle: "" }), /caBundle is empty/],
  ["another CA", aNewConfiguration({ caBundle: "T1RIRVI=" }), /is not the certificate/],
])("stalled: %s, with the fix", (_title, configuration, because) => {
  const { verdict } = withConfigurations(configuration);
  expect(verdict).toMatchObject({
    is: "stalled",
    because: expect.stringMatching(because) as string,
    fix: "reapply it with upgrade-webhook",
    object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
  });
});

const expired = {
  ...certificate,
  leaf: { ...certificate.leaf, notAfter: "2026-07-01T00:00:00Z" },
} as typeof certificate;

test.each<[string, Lists, Partial<Facts>, string]>([
  ["an expired certificate", {}, { certificate: expired }, "Secret/engine/admission-tls"],
  ["no ready endpoint", { endpointSlices: [] }, {}, "Service/engine/admission"],
  [
    "an endpoint that is not ready",
    { endpointSlices: [anEndpointSlice("engine", false)] },
    {},
    "Service/engine/admission",
  ],
  ["no Service", { services: [] }, {}, "Service/engine/admission"],
])("stalled: %s", (...[, lists, rest, object]) => {
  expect(statusOf(lists, rest).webhook.verdict).toMatchObject({ is: "stalled", object });
});

test("stalled: no Secret; the CA cannot be compared then", () => {
  const facts = { webhookSecrets: [] };
  const { verdict, configurations } = statusOf(facts, withoutCertificate()).webhook;
  expect(verdict).toMatchObject({ is: "stalled", code: "SECRET-MISSING" });
  expect(configurations[0]?.ca).toBe("unknown");
});

test.each<[string, readonly FactKey[], string]>([
  ["configurations", ["webhookConfigurations"], "may not list validatingwebhookconfigurations"],
  ["the Secret", ["webhookSecrets"], "may not list secrets"],
  ["what is behind it", ["services", "endpointSlices"], "may not list services, endpointslices"],
])("unknown: %s may not be read", (_title, keys, because) => {
  const [lists, rest] = unread(...keys);
  const { verdict } = statusOf(lists, { ...rest, ...withoutCertificate(keys) }).webhook;
  expect(verdict).toEqual({ is: "unknown", because });
});

test("endpoints that were not read are no number", () => {
  expect(statusOf(...unread("endpointSlices")).webhook).not.toHaveProperty("readyEndpoints");
});

test("a certificate that cannot be read has no days", () => {
  const broken = { ...certificate, pem: false, leaf: undefined };
  expect(statusOf({}, { certificate: broken }).webhook).not.toHaveProperty("certificate");
});

test.each<[ProbeOutcome, object, boolean]>([
  [{ is: "proven" }, { is: "fine" }, true],
  [
    { is: "failed", because: "it passes" },
    { is: "stalled", because: "it passes", fix: "reapply it with upgrade-webhook" },
    false,
  ],
  [{ is: "open", because: "forbidden" }, { is: "unknown", because: "forbidden" }, false],
])("a probe that ended with %j", (probe, verdict, proven) => {
  const { webhook } = statusOf({}, {}, { probe });
  expect(webhook.verdict).toMatchObject(verdict);
  expect(webhook.probe?.proven).toBe(proven);
});

/** The healthy scene has one: a key with no value takes it away. */
function withoutCertificate(keys: readonly string[] = ["webhookSecrets"]): Partial<Facts> {
  if (!keys.includes("webhookSecrets")) return {};
  return { certificate: undefined };
}
