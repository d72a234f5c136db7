import { getOwn } from "../../../plugin/domain/base/values";
import { caBundleOf, makePair, type Pair, serviceNames } from "../../control-plane/certificate";
import { hook } from "../acts";
import { denied, failedCalling, unreached } from "../expected";
import { admissionService, configMap, configuration, database, entry, kinds } from "../objects";
import { refusalOf } from "../plain";
import { pairOf, type Verdict } from "../webhook";
import type { ContractGroup, World } from "../world";

const day = 24 * 60 * 60_000;
const allow: Verdict = { response: { allowed: true } };
const deny: Verdict = { response: { allowed: false, status: { message: "not today" } } };

/** A webhook, the CA that its entry trusts, and how the entry differs from the plain one. */
interface Broken {
  readonly pair?: (namespace: string) => Pair;
  readonly trusts?: (pair: Pair, namespace: string) => string | undefined;
  readonly verdict?: Verdict;
  readonly more?: object;
}

async function inForce(world: World, broken: Broken): Promise<void> {
  const { namespace } = world;
  const pair = (broken.pair ?? pairOf)(namespace);
  const trusts = broken.trusts ?? ((own: Pair) => caBundleOf(own.cert));
  await world.serve({ pair, judge: () => broken.verdict ?? allow });
  const service = { namespace, name: "admission", path: "/admission" };
  const caBundle = trusts(pair, namespace);
  const clientConfig = { service, ...(caBundle !== undefined && { caBundle }) };
  await hook(world, [entry(namespace, { clientConfig, ...broken.more })]);
}

const creation = (broken: Broken) => async (world: World) => {
  await inForce(world, broken);
  return refusalOf(world.cluster.create(database(world.namespace)));
};

/** The same where the rest of the text is that of a library of the server's language. */
const failedCall = (broken: Broken) => async (world: World) => {
  const seen = await creation(broken)(world);
  return [
    getOwn(seen, "status"),
    String(getOwn(seen, "message")).replace(/(failed to call webhook): .*/, "$1"),
  ];
};

/** How the creation ends when nothing is served. */
const unserved =
  (more: (namespace: string) => object, service = true) =>
  async (world: World) => {
    const { cluster, namespace } = world;
    if (service) await cluster.create(admissionService(namespace));
    await hook(world, [entry(namespace, more(namespace))]);
    return refusalOf(cluster.create(database(namespace)));
  };

const raw = (status: number, body: string): Broken => ({ verdict: { status, body } });
const review = (more: object): Broken => ({ verdict: { response: { allowed: true }, ...more } });
const expired = (namespace: string): Pair =>
  makePair({
    namespace,
    notBefore: new Date(Date.now() - 30 * day),
    notAfter: new Date(Date.now() - day),
  });

/** Whether a write is judged by an entry that denies everything it is asked. */
const judged =
  (more: (namespace: string) => object, act: (world: World) => Promise<unknown>) =>
  async (world: World) => {
    await inForce(world, { verdict: deny, more: more(world.namespace) });
    return act(world);
  };

const created = ({ cluster, namespace }: World): Promise<unknown> =>
  refusalOf(cluster.create(database(namespace)));

/** Call-outs that fail, and those that are not made. */
export const callOuts: ContractGroup = {
  about: "call-outs to webhooks",
  cases: [
    {
      says: "a Service that is not there fails the write",
      act: unserved(() => ({}), false),
      sees: unreached('service "admission" not found'),
    },
    {
      says: "a Service that is not there is ignored where the policy says so",
      act: unserved(() => ({ failurePolicy: "Ignore" }), false),
      sees: "accepted",
    },
    {
      says: "a Service behind which nobody listens fails the write",
      act: unserved(() => ({})),
      sees: unreached("dial tcp ADDRESS: connect: connection refused"),
    },
    {
      says: "a Service behind which nobody listens is ignored where the policy says so",
      act: unserved(() => ({ failurePolicy: "Ignore" })),
      sees: "accepted",
    },
    {
      says: "a port that the Service does not have fails the write",
      act: unserved((namespace) => ({
        clientConfig: { service: { namespace, name: "admission", path: "/admission", port: 8443 } },
      })),
      sees: unreached('no service port 8443 found for service "admission"', { port: 8443 }),
    },
    {
      says: "a caBundle that is no certificate fails the write",
      act: creation({ trusts: () => Buffer.from("no certificate").toString("base64") }),
      sees: failedCalling(
        "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block",
      ),
    },
    {
      says: "a certificate of an unknown authority fails the write",
      act: creation({ trusts: (_, namespace) => caBundleOf(makePair({ namespace }).cert) }),
      sees: unreached(
        'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "admission.NS.svc")',
      ),
    },
    {
      says: "without a caBundle the system's authorities count",
      act: creation({ trusts: () => undefined }),
      sees: unreached(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority",
      ),
    },
    {
      says: "a certificate for other names fails the write",
      act: creation({
        pair: (namespace) => makePair({ namespace, names: ["other.example", "b.example"] }),
      }),
      sees: unreached(
        "tls: failed to verify certificate: x509: certificate is valid for other.example, b.example, not admission.NS.svc",
      ),
    },
    {
      says: "a certificate without names fails the write",
      act: creation({ pair: (namespace) => makePair({ namespace, names: [] }) }),
      sees: unreached(
        "tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead",
      ),
    },
    {
      says: "a certificate for the Service's name among others is accepted",
      act: creation({
        pair: (namespace) =>
          makePair({ namespace, names: ["a.example", ...serviceNames(namespace)] }),
      }),
      sees: "accepted",
    },
    {
      says: "an expired certificate fails the write",
      act: creation({ pair: expired }),
      sees: unreached(
        "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time TIME is after TIME",
      ),
    },
    {
      says: "a certificate that is not valid yet fails the write",
      act: creation({
        pair: (namespace) => makePair({ namespace, notBefore: new Date(Date.now() + day) }),
      }),
      sees: unreached(
        "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time TIME is before TIME",
      ),
    },
    {
      says: "a failed call is ignored where the policy says so",
      act: creation({ pair: expired, more: { failurePolicy: "Ignore" } }),
      sees: "accepted",
    },
    {
      says: "a denial counts also where failures are ignored",
      act: creation({ verdict: deny, more: { failurePolicy: "Ignore" } }),
      sees: denied("not today"),
    },
    {
      says: "no answer in time fails the write",
      act: creation({ verdict: "silent", more: { timeoutSeconds: 1 } }),
      sees: unreached("context deadline exceeded", { timeout: 1 }),
    },
    {
      says: "no answer in time is ignored where the policy says so",
      act: creation({ verdict: "silent", more: { timeoutSeconds: 1, failurePolicy: "Ignore" } }),
      sees: "accepted",
    },
    {
      says: "an answer 500 fails the write",
      act: creation(raw(500, "broken")),
      sees: failedCalling(
        'failed to call webhook: an error on the server ("broken") has prevented the request from succeeding',
      ),
    },
    {
      says: "an answer 503 fails the write",
      act: creation(raw(503, "")),
      sees: failedCalling(
        "failed to call webhook: the server is currently unable to handle the request",
      ),
    },
    {
      says: "an answer 404 fails the write",
      act: creation(raw(404, "not here")),
      sees: failedCalling(
        "failed to call webhook: the server could not find the requested resource",
      ),
    },
    {
      says: "an answer that is no JSON fails the write",
      act: failedCall(raw(200, "<html>")),
      sees: [
        500,
        'Internal error occurred: failed calling webhook "databases.admission.engine": failed to call webhook',
      ],
    },
    {
      says: "an answer that is no review fails the write",
      act: creation(raw(200, "{}")),
      sees: failedCalling("received invalid webhook response: webhook response was absent"),
    },
    {
      says: "an answer in another review version fails the write",
      act: creation(review({ apiVersion: "admission.k8s.io/v1beta1" })),
      sees: failedCalling(
        "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
      ),
    },
    {
      says: "an answer of another kind fails the write",
      act: failedCall(review({ kind: "Review" })),
      sees: [
        500,
        'Internal error occurred: failed calling webhook "databases.admission.engine": failed to call webhook',
      ],
    },
    {
      says: "an answer to another request fails the write",
      act: creation({ verdict: { response: { uid: "other", allowed: true } } }),
      sees: failedCalling(
        'received invalid webhook response: expected response.uid="UID", got "other"',
      ),
    },
    {
      says: "an answer without its request's uid is enough in the older review version",
      act: creation({
        verdict: { response: { uid: undefined, allowed: true } },
        more: { admissionReviewVersions: ["v1beta1"] },
      }),
      sees: "accepted",
    },
    {
      says: "an answer with a patch fails the write",
      act: creation({
        verdict: { response: { allowed: true, patch: "W10=", patchType: "JSONPatch" } },
      }),
      sees: failedCalling(
        "received invalid webhook response: validating webhook may not return response.patch",
      ),
    },
    {
      says: "a namespace that is not selected is not checked",
      act: judged(() => ({ namespaceSelector: { matchLabels: { watched: "yes" } } }), created),
      sees: "accepted",
    },
    {
      says: "a namespace is selected by an expression over its labels",
      act: judged(
        (namespace) => ({
          namespaceSelector: {
            matchExpressions: [
              { key: "kubernetes.io/metadata.name", operator: "In", values: [namespace] },
            ],
          },
        }),
        created,
      ),
      sees: denied("not today"),
    },
    {
      says: "an object is checked when its labels, old or new, are selected",
      act: judged(
        () => ({ objectSelector: { matchLabels: { judged: "yes" } } }),
        async ({ cluster, namespace }) => {
          const plain = await refusalOf(cluster.create(database(namespace)));
          const ref = { resource: kinds.databases, name: "orders", namespace };
          const labels = { judged: "yes" };
          return {
            plain,
            labeled: await refusalOf(
              cluster.patch(ref, { metadata: { labels } }, { type: "merge" }),
            ),
          };
        },
      ),
      sees: { plain: "accepted", labeled: denied("not today") },
    },
    {
      says: "a rule for another version reaches none with matchPolicy Exact",
      act: judged(
        () => ({
          matchPolicy: "Exact",
          rules: [
            {
              apiGroups: ["app.engine.com"],
              apiVersions: ["v1"],
              operations: ["*"],
              resources: ["engineenterprisedatabases"],
            },
          ],
        }),
        created,
      ),
      sees: "accepted",
    },
    {
      says: "a rule for one version reaches another of the same kind with matchPolicy Equivalent",
      act: judged(
        () => ({
          matchPolicy: "Equivalent",
          rules: [
            {
              apiGroups: ["app.engine.com"],
              apiVersions: ["v1alpha1"],
              operations: ["*"],
              resources: ["engineenterpriseclusters"],
            },
          ],
        }),
        ({ cluster, namespace }) =>
          refusalOf(
            cluster.create({
              apiVersion: "app.engine.com/v1",
              kind: "EngineEnterpriseCluster",
              metadata: { name: "ec", namespace },
              spec: { nodes: 3 },
            }),
          ),
      ),
      sees: denied("not today"),
    },
    {
      says: "a rule for cluster-scoped objects does not reach one in a namespace",
      act: judged(
        () => ({
          rules: [
            {
              apiGroups: ["*"],
              apiVersions: ["*"],
              operations: ["*"],
              resources: ["*"],
              scope: "Cluster",
            },
          ],
        }),
        created,
      ),
      sees: "accepted",
    },
    {
      says: "webhook configurations themselves are never checked",
      act: judged(
        () => ({
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
          namespaceSelector: {},
          objectSelector: { matchLabels: { judged: "yes" } },
        }),
        async ({ cluster, namespace }) => {
          const object = configuration(namespace, [], `${namespace}-other`);
          const labels = { judged: "yes" };
          const metadata = { ...object.metadata, labels };
          const settings = configMap(namespace);
          return {
            configuration: await refusalOf(cluster.create({ ...object, metadata })),
            other: await refusalOf(
              cluster.create({ ...settings, metadata: { ...settings.metadata, labels } }),
            ),
          };
        },
      ),
      sees: { configuration: "accepted", other: denied("not today") },
    },
    {
      says: "a condition of an entry is checked",
      act: judged(
        () => ({
          matchConditions: [{ name: "only-big", expression: "object.spec.memorySize == '1GB'" }],
        }),
        async (world) => {
          const { cluster, namespace } = world;
          return {
            small: await created(world),
            big: await refusalOf(cluster.create(database(namespace, { memorySize: "1GB" }, "big"))),
          };
        },
      ),
      sees: { small: "accepted", big: denied("not today") },
      limit: "expressions",
    },
    {
      says: "a webhook that was removed checks no more",
      act: async (world) => {
        const { cluster, namespace } = world;
        await inForce(world, { verdict: deny });
        const before = await created(world);
        const name = `${namespace}-hook`;
        await cluster.delete({ resource: kinds.configurations, name }, {});
        await world.settle(async () => {
          const probe = cluster.create(database(namespace), { dryRun: true });
          return (await refusalOf(probe)) === "accepted";
        });
        return { before, after: await created(world) };
      },
      sees: { before: denied("not today"), after: "accepted" },
    },
  ],
};
