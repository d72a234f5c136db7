/** A CA injector that fits is a fact, told by each command that judges the webhook, and nothing to do. */
import { defaultNames } from "../../../plugin/domain/names/names";
import { RehearsedExample, type Edit } from "../../support/rehearsed-example";
import { aWebhookProgram } from "../../support/webhook-program";

const annotation = "cert-manager.io/inject-ca-from-secret";
const { oldConfiguration } = defaultNames.webhook;
const example = new RehearsedExample(aWebhookProgram());

const injected: Edit = (object) =>
  object.kind === "ValidatingWebhookConfiguration" && object.metadata.name === oldConfiguration
    ? {
        ...object,
        metadata: { name: oldConfiguration, annotations: { [annotation]: "engine/admission-tls" } },
      }
    : object;

test("check names it as a fact, and --strict does not count it", async () => {
  const only = "check --only=WEBHOOK-CA-INJECTED,WEBHOOK-CA-STALE --strict";
  const { code, report } = await example.run(only, injected);
  expect([code, report?.findings ?? []]).toEqual([0, []]);
  expect(report?.details).toMatchObject({
    injected: [{ configuration: oldConfiguration, by: "cert-manager", annotation }],
  });
});

test("status names it", async () => {
  const { code, report } = await example.run("status", injected);
  expect([code, JSON.stringify(report)]).toEqual([
    0,
    expect.stringContaining(`cert-manager (${annotation})`),
  ]);
});
