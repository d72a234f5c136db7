/** A control plane with three simple kinds, and access and admission as a test wants them. */
import type { Structure } from "../../../../plugin/adapters/schema/schema";
import { ApiError } from "../../../../plugin/domain/base/errors";
import type {
  Admission,
  Attempt,
  Attributes,
  KindDefinition,
  Registry,
} from "../../../../plugin/simulator/model";
import { MemoryControlPlane } from "../../../../plugin/simulator/api-server/control-plane";
import type { KubeClient, KubeObject, Ref, Resource } from "../../../../plugin/ports/kubernetes";
import { ManualClock } from "../../../support/manual-clock";

export const maps: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
export const spaces: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
};
export const dbs: Resource = { group: "test.io", version: "v1", plural: "dbs", kind: "Db" };
export const oldDbs: Resource = { ...dbs, version: "v1alpha1" };

export const dbStructure: Structure = {
  fields: {
    spec: {
      fields: {
        size: {},
        whole: { atomic: true },
        list: { list: "atomic" },
        tags: { list: "set" },
        parts: {
          list: "map",
          keys: ["name", "kind"],
          keyDefaults: { kind: "plain" },
          items: { fields: { name: {}, kind: {}, size: {} } },
        },
        inner: { fields: { a: {}, b: {} } },
        free: { values: {} },
      },
    },
  },
};

const common = {
  custom: false,
  namespaced: true,
  hasStatus: false,
  counted: false,
  structure: { fields: { data: { values: {} } } },
  prepare: (object: KubeObject) => ({ object, warnings: [] }),
} satisfies Omit<KindDefinition, "resource">;

/** A size that is not a number is refused, as a schema would. */
const prepareDb: KindDefinition["prepare"] = (object) => {
  const spec = object["spec"] as { size?: unknown; typo?: unknown } | undefined;
  if (spec?.size !== undefined && typeof spec.size !== "number") {
    throw new ApiError("spec.size is not a number", { status: 422, reason: "Invalid" });
  }
  return { object, warnings: spec?.typo === undefined ? [] : ['unknown field "spec.typo"'] };
};

const db = {
  ...common,
  custom: true,
  hasStatus: true,
  counted: true,
  structure: dbStructure,
  prepare: prepareDb,
};

const definitions: readonly KindDefinition[] = [
  { ...common, resource: maps },
  { ...common, resource: spaces, namespaced: false },
  { ...db, resource: dbs },
  { ...db, resource: oldDbs },
];

const registry: Registry = {
  byKind: (apiVersion, kind) =>
    definitions.find(({ resource: { group, version, kind: known } }) => {
      return known === kind && apiVersion === (group === "" ? version : `${group}/${version}`);
    }),
  byPlural: ({ group, version, plural }) =>
    definitions.find(
      ({ resource }) =>
        resource.group === group && resource.version === version && resource.plural === plural,
    ),
  served: (group, version) =>
    definitions.filter(({ resource }) => resource.group === group && resource.version === version),
  define: () => {},
  fork: () => registry,
};

/** The only user whom nothing is allowed unless a test says so. */
export const nobody = { name: "nobody", groups: [] };

export class World {
  readonly clock = new ManualClock();
  /** What the admission was asked. */
  readonly attempts: Attempt[] = [];
  admit: Admission["admit"] = () => Promise.resolve([]);
  allows: (attributes: Attributes) => boolean = () => false;
  readonly plane = new MemoryControlPlane({
    clock: this.clock,
    registry,
    access: {
      allows: (user, attributes) => user.name !== nobody.name || this.allows(attributes),
      refuseEscalation: () => {},
    },
    admission: {
      admit: (attempt, state) => {
        this.attempts.push(attempt);
        return this.admit(attempt, state);
      },
    },
  });
  readonly cluster: KubeClient = this.connect();

  constructor() {
    this.plane.load([aNamespace("engine"), aNamespace("default")]);
  }

  connect(
    user = { name: "admin", groups: ["system:masters"] },
    latency = (): void => {},
  ): KubeClient {
    return this.plane.connect({ user, namespace: "engine", latency });
  }

  /** Everything stored, as text: to see that nothing was written. */
  stored(): string {
    return JSON.stringify([maps, spaces, dbs].map((kind) => this.plane.state.list(kind)));
  }

  get(kind: Resource, name: string): KubeObject | undefined {
    return this.plane.state.get(kind, name, kind === spaces ? undefined : "engine");
  }
}

export function aNamespace(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
    spec: { finalizers: ["kubernetes"] },
  };
}

export function aMap(name: string, data: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "engine", ...metadata },
    data,
  };
}

export function aDb(name: string, spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "test.io/v1",
    kind: "Db",
    metadata: { name, namespace: "engine", ...metadata },
    spec,
  };
}

export function refOf(resource: Resource, name: string): Ref {
  return resource === spaces ? { resource, name } : { resource, name, namespace: "engine" };
}
