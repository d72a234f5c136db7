import { type Json, getPath, getOwn } from "../../../plugin/domain/base/values";
import { caBundleOf } from "../../control-plane/certificate";
import { apply, hook, warningsOf } from "../acts";
import { denied, refusal } from "../expected";
import { admissionService, database, entry, kinds, refTo } from "../objects";
import { refusalOf } from "../plain";
import { pairOf, type Verdict } from "../webhook";
import type { ContractGroup, World } from "../world";

/** What is behind the Service, and how its entry differs from the plain one. */
interface Hook {
  readonly judge: (request: Json, path: string) => Verdict;
  readonly more?: object;
}

const allow: Verdict = { response: { allowed: true } };
const deny: Verdict = { response: { allowed: false, status: { message: "not today" } } };

/** A trusted webhook in force. */
async function hooked(world: World, { judge, more = {} }: Hook): Promise<void> {
  const { namespace } = world;
  const pair = pairOf(namespace);
  await world.serve({ pair, judge });
  const service = { namespace, name: "admission", path: "/admission" };
  const clientConfig = { service, caBundle: caBundleOf(pair.cert) };
  await hook(world, [entry(namespace, { clientConfig, ...more })]);
}

/** How the creation of a database ends under such a webhook. */
const creation = (hookOf: Hook) => async (world: World) => {
  await hooked(world, hookOf);
  return refusalOf(world.cluster.create(database(world.namespace)));
};

const answering = (response: Json, more: object = {}) =>
  creation({ judge: () => ({ response }), more });

const v1beta1 = { admissionReviewVersions: ["v1beta1"] };

/** Tells what a webhook was asked. */
async function asked(world: World, act: () => Promise<unknown>): Promise<readonly Json[]> {
  const requests: Json[] = [];
  await hooked(world, {
    judge: (request) => {
      requests.push(request);
      return allow;
    },
  });
  await act();
  return requests;
}

/** Call-outs that are answered. */
export const admission: ContractGroup = {
  about: "admission webhooks",
  cases: [
    {
      says: "an allowed object is stored",
      act: creation({ judge: () => allow }),
      sees: "accepted",
    },
    {
      says: "a denial without a code is told as 400",
      act: creation({ judge: () => deny }),
      sees: denied("not today"),
    },
    {
      says: "a denial without a status is told",
      act: answering({ allowed: false }),
      sees: refusal(
        [400, ""],
        'admission webhook "databases.admission.engine" denied the request without explanation',
      ),
    },
    {
      says: "a denial's code, reason and causes are passed on",
      act: answering({
        allowed: false,
        status: {
          code: 422,
          reason: "Invalid",
          message: "engineVersion 9.9 is unknown",
          details: { causes: [{ reason: "FieldValueInvalid", field: "spec.a", message: "odd" }] },
        },
      }),
      sees: refusal(
        [422, "Invalid"],
        'admission webhook "databases.admission.engine" denied the request: engineVersion 9.9 is unknown',
        [{ reason: "FieldValueInvalid", field: "spec.a", message: "odd" }],
      ),
    },
    {
      says: "a denial with a code alone is told with that code",
      act: answering({ allowed: false, status: { code: 422, message: "unknown" } }),
      sees: denied("unknown", [422, ""]),
    },
    {
      says: "a denial with a reason alone is told with the reason",
      act: answering({ allowed: false, status: { reason: "unknown version" } }),
      sees: denied("unknown version", [400, "unknown version"]),
    },
    {
      says: "a denial with a code of success is told as 400",
      act: answering({ allowed: false, status: { code: 200, message: "odd" } }),
      sees: denied("odd"),
    },
    {
      says: "a denial in the older review version is told the same way",
      act: answering(
        { allowed: false, status: { code: 422, reason: "Invalid", message: "unknown" } },
        v1beta1,
      ),
      sees: denied("unknown", [422, "Invalid"]),
    },
    {
      says: "an entry with review versions that the server does not know is called in one that it does",
      act: async (world) => {
        const seen: unknown[] = [];
        await hooked(world, {
          judge: (request) => {
            seen.push(getOwn(request, "apiVersion"));
            return { response: { allowed: true } };
          },
          more: { admissionReviewVersions: ["v9", "v1beta1", "v1"] },
        });
        return refusalOf(world.cluster.create(database(world.namespace)));
      },
      sees: "accepted",
    },
    {
      says: "warnings of a webhook are passed on, allowed or not",
      act: async (world) => {
        await hooked(world, {
          judge: (request) => ({
            response: {
              allowed: getPath(request, ["object", "metadata", "name"]) === "orders",
              warnings: ["7.2 ends soon", "second"],
            },
          }),
        });
        const { cluster, namespace } = world;
        return {
          allowed: await warningsOf((options) => cluster.create(database(namespace), options)),
          denied: await warningsOf((options) =>
            cluster.create(database(namespace, {}, "other"), options),
          ),
        };
      },
      sees: {
        allowed: { outcome: "accepted", warnings: ["7.2 ends soon", "second"] },
        denied: {
          outcome: refusal(
            [400, ""],
            'admission webhook "databases.admission.engine" denied the request without explanation',
          ),
          warnings: [],
        },
      },
    },
    {
      says: "a webhook is told who does what to which object",
      act: async (world) => {
        const [request] = await asked(world, () => world.cluster.create(database(world.namespace)));
        const { object, userInfo, ...rest } = request ?? {};
        return { ...rest, user: getOwn(userInfo, "username"), spec: getOwn(object, "spec") };
      },
      sees: {
        uid: "UID",
        kind: { group: "app.engine.com", version: "v1alpha1", kind: "EngineEnterpriseDatabase" },
        resource: {
          group: "app.engine.com",
          version: "v1alpha1",
          resource: "engineenterprisedatabases",
        },
        requestKind: {
          group: "app.engine.com",
          version: "v1alpha1",
          kind: "EngineEnterpriseDatabase",
        },
        requestResource: {
          group: "app.engine.com",
          version: "v1alpha1",
          resource: "engineenterprisedatabases",
        },
        name: "orders",
        namespace: "NS",
        operation: "CREATE",
        oldObject: null,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldValidation: "Warn" },
        user: "admin",
        spec: { engineEnterpriseCluster: { name: "ec" }, memorySize: "100MB" },
      },
    },
    {
      says: "a webhook is told the name and groups of an impersonated user",
      act: async (world) => {
        const { namespace } = world;
        const requests: Json[] = [];
        await hooked(world, {
          judge: (request) => {
            requests.push(request);
            return deny;
          },
        });
        const master = await world.as("joe", ["system:masters"]);
        await refusalOf(master.create(database(namespace)));
        return requests.map((request) => getOwn(request, "userInfo"));
      },
      sees: [{ username: "joe", groups: ["system:masters", "system:authenticated"] }],
    },
    {
      says: "a webhook sees the stored object and the new one",
      act: async (world) => {
        const { cluster, namespace } = world;
        await world.seed(database(namespace, { engineVersion: "7.2" }));
        const ref = refTo(kinds.databases, database(namespace));
        const body = { spec: { engineVersion: "7.4" } };
        const requests = await asked(world, () => cluster.patch(ref, body, { type: "merge" }));
        return requests.map((request) => [
          request["operation"],
          getPath(request, ["oldObject", "spec", "engineVersion"]),
          getPath(request, ["object", "spec", "engineVersion"]),
          getOwn(request["options"], "kind"),
        ]);
      },
      sees: [["UPDATE", "7.2", "7.4", "UpdateOptions"]],
    },
    {
      says: "an apply is reviewed as the create or update that it is",
      act: async (world) => {
        const requests = await asked(world, async () => {
          await apply(world, database(world.namespace));
          await apply(world, database(world.namespace, { engineVersion: "7.4" }));
        });
        return requests.map(({ operation, options }) => [operation, options]);
      },
      sees: [
        [
          "CREATE",
          {
            kind: "CreateOptions",
            apiVersion: "meta.k8s.io/v1",
            fieldManager: "us",
            fieldValidation: "Ignore",
          },
        ],
        [
          "UPDATE",
          {
            kind: "UpdateOptions",
            apiVersion: "meta.k8s.io/v1",
            fieldManager: "us",
            fieldValidation: "Ignore",
          },
        ],
      ],
    },
    {
      says: "a dry run is reviewed as one",
      act: async (world) => {
        const { cluster, namespace } = world;
        const requests = await asked(world, () =>
          cluster.create(database(namespace), { dryRun: true }),
        );
        return requests.map(({ dryRun }) => dryRun);
      },
      sees: [true],
    },
    {
      says: "a dry run through a webhook with side effects of its own is allowed when it says none then",
      act: async (world) => {
        await hooked(world, { judge: () => allow, more: { sideEffects: "NoneOnDryRun" } });
        return refusalOf(world.cluster.create(database(world.namespace), { dryRun: true }));
      },
      sees: "accepted",
    },
    {
      says: "an update that changes nothing is reviewed all the same",
      act: async (world) => {
        const { cluster, namespace } = world;
        await world.seed(database(namespace));
        const stored = await cluster.get(refTo(kinds.databases, database(namespace)));
        if (stored === undefined) return "absent";
        const requests = await asked(world, () => cluster.update(stored, { fieldManager: "seed" }));
        return requests.length;
      },
      sees: 1,
    },
    {
      says: "the schema refuses before a webhook is asked",
      act: async (world) => {
        const { cluster, namespace } = world;
        const requests = await asked(world, () =>
          refusalOf(cluster.create(database(namespace, { engineVersion: 7 }))),
        );
        return requests.length;
      },
      sees: 0,
    },
    {
      says: "a deletion is not reviewed by an entry without that operation",
      act: async (world) => {
        const { cluster, namespace } = world;
        await world.seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        return (await asked(world, () => cluster.delete(ref, {}))).length;
      },
      sees: 0,
    },
    {
      says: "a deletion is reviewed by an entry with that operation",
      act: async (world) => {
        const { cluster, namespace } = world;
        await world.seed(database(namespace));
        const rules = [
          {
            apiGroups: ["app.engine.com"],
            apiVersions: ["*"],
            operations: ["DELETE"],
            resources: ["*"],
          },
        ];
        const seen: unknown[] = [];
        await hooked(world, {
          judge: (request) => {
            const { object, oldObject, options } = request;
            seen.push({ object, old: getPath(oldObject, ["metadata", "name"]), options });
            return deny;
          },
          more: { rules },
        });
        const ref = refTo(kinds.databases, database(namespace));
        return { refusal: await refusalOf(cluster.delete(ref, {})), seen };
      },
      sees: {
        refusal: denied("not today"),
        seen: [
          {
            object: null,
            old: "orders",
            options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
          },
        ],
      },
    },
    {
      says: "a write of the status is not reviewed by an entry for the object",
      act: async (world) => {
        const { namespace } = world;
        await world.seed(database(namespace));
        const requests = await asked(world, () =>
          world.setStatus(database(namespace), { status: "active" }),
        );
        return requests.length;
      },
      sees: 0,
    },
    {
      says: "of two entries that deny, one is told",
      act: async (world) => {
        const { namespace } = world;
        const pair = pairOf(namespace);
        await world.serve({ pair, judge: () => deny });
        const service = { namespace, name: "admission", path: "/admission" };
        const clientConfig = { service, caBundle: caBundleOf(pair.cert) };
        const names = ["one.admission.engine", "two.admission.engine"];
        await hook(
          world,
          names.map((name) => entry(namespace, { name, clientConfig })),
        );
        const seen = await refusalOf(world.cluster.create(database(namespace)));
        const message = String(getOwn(seen, "message"));
        return {
          status: getOwn(seen, "status"),
          known: names.some(
            (name) => message === `admission webhook "${name}" denied the request: not today`,
          ),
        };
      },
      sees: { status: 400, known: true },
    },
    {
      says: "of two entries, one denial is enough",
      act: async (world) => {
        const { namespace } = world;
        const pair = pairOf(namespace);
        await world.serve({ pair, judge: (_, path) => (path === "/no" ? deny : allow) });
        const caBundle = caBundleOf(pair.cert);
        const entries = ["yes", "no"].map((word) =>
          entry(namespace, {
            name: `${word}.admission.engine`,
            clientConfig: { service: { namespace, name: "admission", path: `/${word}` }, caBundle },
          }),
        );
        await hook(world, entries);
        return refusalOf(world.cluster.create(database(namespace)));
      },
      sees: refusal(
        [400, ""],
        'admission webhook "no.admission.engine" denied the request: not today',
      ),
    },
    {
      says: "a Service at another port is called there",
      act: async (world) => {
        const { namespace } = world;
        const pair = pairOf(namespace);
        await world.serve({ pair, judge: () => deny, port: 9443 });
        const service = { namespace, name: "admission", path: "/admission", port: 9443 };
        const clientConfig = { service, caBundle: caBundleOf(pair.cert) };
        await hook(world, [entry(namespace, { clientConfig })]);
        return refusalOf(world.cluster.create(database(namespace)));
      },
      sees: denied("not today"),
    },
    {
      says: "an entry of built-in kinds is called too",
      act: async (world) => {
        const rules = [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["services"] },
        ];
        await hooked(world, { judge: () => deny, more: { rules } });
        const service = admissionService(world.namespace);
        const metadata = { name: "other", namespace: world.namespace };
        return refusalOf(world.cluster.create({ ...service, metadata }));
      },
      sees: denied("not today"),
    },
  ],
};
