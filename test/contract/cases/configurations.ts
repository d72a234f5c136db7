import { badRequest, invalid } from "../expected";
import { configuration, entry, kinds, refTo } from "../objects";
import { refusalOf } from "../plain";
import type { ContractCase, ContractGroup, World } from "../world";

/** Sends one entry with a change. */
function created({ cluster, namespace }: World, change: object): Promise<unknown> {
  return refusalOf(cluster.create(configuration(namespace, [entry(namespace, change)])));
}

const subject = 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "NS-hook"';

const refused = (says: string, change: object, ...told: readonly string[]): ContractCase => ({
  says,
  act: (world) => created(world, change),
  sees: invalid(subject, ...told),
});

/** Webhook configurations: what is filled in and what is refused. */
export const configurations: ContractGroup = {
  about: "webhook configurations",
  cases: [
    {
      says: "what an entry leaves open is filled in",
      act: async ({ cluster, namespace }) => {
        const bare = {
          name: "a.b.c",
          clientConfig: { service: { namespace, name: "admission" } },
          rules: [
            { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["widgets"] },
          ],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        };
        return (await cluster.create(configuration(namespace, [bare])))["webhooks"];
      },
      sees: [
        {
          name: "a.b.c",
          clientConfig: { service: { namespace: "NS", name: "admission", port: 443 } },
          rules: [
            {
              operations: ["*"],
              apiGroups: ["*"],
              apiVersions: ["*"],
              resources: ["widgets"],
              scope: "*",
            },
          ],
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: "None",
          timeoutSeconds: 10,
          admissionReviewVersions: ["v1"],
        },
      ],
    },
    {
      says: "an empty caBundle is not stored",
      act: async ({ cluster, namespace }) => {
        const service = { namespace, name: "admission" };
        const clientConfig = { service, caBundle: "" };
        const object = configuration(namespace, [entry(namespace, { clientConfig })]);
        const made = await cluster.create(object);
        return (made["webhooks"] as readonly Record<string, unknown>[])[0]?.["clientConfig"];
      },
      sees: { service: { namespace: "NS", name: "admission", port: 443 } },
    },
    {
      says: "a configuration counts its changes",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configuration(namespace));
        const ref = refTo(kinds.configurations, configuration(namespace));
        const labels = { a: "b" };
        const first = await cluster.patch(ref, { metadata: { labels } }, { type: "merge" });
        const wanted = [entry(namespace, { timeoutSeconds: 3 })];
        const next = await cluster.patch(ref, { webhooks: wanted }, { type: "merge" });
        return [first.metadata.generation, next.metadata.generation];
      },
      sees: [1, 2],
    },
    refused(
      "a timeout over thirty seconds is refused",
      { timeoutSeconds: 31 },
      "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
    ),
    refused(
      "a timeout of nothing is refused",
      { timeoutSeconds: 0 },
      "webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds",
    ),
    refused(
      "an unknown failurePolicy is refused",
      { failurePolicy: "Maybe" },
      'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
    ),
    refused(
      "an unknown matchPolicy is refused",
      { matchPolicy: "Loose" },
      'webhooks[0].matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
    ),
    refused(
      "side effects have to be told",
      { sideEffects: undefined },
      "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
    ),
    refused(
      "unknown side effects are refused",
      { sideEffects: "Some" },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ),
    refused(
      "a review version has to be told",
      { admissionReviewVersions: undefined },
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
    ),
    refused(
      "a review version that no server speaks is refused",
      { admissionReviewVersions: ["v2"] },
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ),
    refused(
      "a name without three parts is refused",
      { name: "short" },
      'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
    ),
    refused(
      "an entry without a service and a url is refused",
      { clientConfig: {} },
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    ),
    {
      says: "a service without a name is refused",
      act: (world) =>
        created(world, { clientConfig: { service: { namespace: world.namespace, name: "" } } }),
      sees: invalid(subject, "webhooks[0].clientConfig.service.namespace: Required value"),
    },
    {
      says: "a service path without a slash is refused",
      act: (world) => {
        const { namespace } = world;
        const service = { namespace, name: "admission", path: "admission" };
        return created(world, { clientConfig: { service } });
      },
      sees: invalid(
        subject,
        "webhooks[0].clientConfig.service.path: Invalid value: \"admission\": must start with a '/'",
      ),
    },
    {
      says: "a caBundle that is no certificate is stored all the same",
      act: (world) => {
        const { namespace } = world;
        const service = { namespace, name: "admission" };
        const caBundle = Buffer.from("no certificate").toString("base64");
        return created(world, { clientConfig: { service, caBundle } });
      },
      sees: "accepted",
    },
    {
      says: "a caBundle that is no base64 is refused",
      act: (world) => {
        const { namespace } = world;
        const service = { namespace, name: "admission" };
        return created(world, { clientConfig: { service, caBundle: "%%" } });
      },
      sees: badRequest(
        'ValidatingWebhookConfiguration in version "v1" cannot be handled as a ValidatingWebhookConfiguration: illegal base64 data at input byte 0',
      ),
    },
    refused(
      "a rule without operations is refused",
      {
        rules: [{ apiGroups: ["a"], apiVersions: ["v1"], operations: [], resources: ["b"] }],
      },
      "webhooks[0].rules[0].operations: Required value",
    ),
    refused(
      "an unknown operation is refused",
      {
        rules: [{ apiGroups: ["a"], apiVersions: ["v1"], operations: ["WRITE"], resources: ["b"] }],
      },
      'webhooks[0].rules[0].operations[0]: Unsupported value: "WRITE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ),
    {
      says: "two entries of one name are refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.create(configuration(namespace, [entry(namespace), entry(namespace)]))),
      sees: invalid(subject, 'webhooks[1].name: Duplicate value: "databases.admission.engine"'),
    },
    refused(
      "every problem of an entry is told at once",
      { timeoutSeconds: 99, failurePolicy: "Maybe" },
      'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      "webhooks[0].timeoutSeconds: Invalid value: 99: the timeout value must be between 1 and 30 seconds",
    ),
    {
      says: "a configuration without entries is stored",
      act: async ({ cluster, namespace }) => {
        const { webhooks, ...rest } = await cluster.create(configuration(namespace, []));
        return { webhooks: webhooks ?? "absent", kind: rest.kind };
      },
      sees: { webhooks: "absent", kind: "ValidatingWebhookConfiguration" },
    },
  ],
};
