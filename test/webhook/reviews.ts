/** Reviews as the API server sends them. */
import { defaultNames } from "../../plugin/domain/names/names";
import type { RuleOptions } from "../../plugin/domain/rules/types";

export const options: RuleOptions = {
  reading: "target",
  allowLatest: undefined,
  names: defaultNames,
  rules: { version: "deny", policy: "deny", modules: "deny" },
};

/** A database; `spec` is laid over one that names the EC `ec`. */
export function anEdb(spec: object = {}, metadata: object = {}) {
  return {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name: "db1", namespace: "engine", ...metadata },
    spec: { engineEnterpriseCluster: { name: "ec" }, ...spec },
  };
}

/** The request of an update of one EDB. */
export function anUpdate(before: object, after: object, more: object = {}) {
  return {
    uid: "uid-1",
    kind: { group: "app.engine.com", version: "v1alpha1", kind: "EngineEnterpriseDatabase" },
    resource: {
      group: "app.engine.com",
      version: "v1alpha1",
      resource: "engineenterprisedatabases",
    },
    name: "db1",
    namespace: "engine",
    operation: "UPDATE",
    userInfo: { username: "admin" },
    object: anEdb(before === after ? before : after),
    oldObject: anEdb(before),
    dryRun: false,
    ...more,
  };
}

export function aReview(request: unknown, version = "v1") {
  return { apiVersion: `admission.k8s.io/${version}`, kind: "AdmissionReview", request };
}

/** From 7.2 to a version that there is none of. */
export const wrongUpdate = anUpdate({ engineVersion: "7.2" }, { engineVersion: "9.9" });
/** From 7.2 to the next major release. */
export const rightUpdate = anUpdate({ engineVersion: "7.2" }, { engineVersion: "8.0" });
/** Wrong only where the EC says so: a raise onto a minor release. */
export const minorUpdate = anUpdate({ engineVersion: "7.2" }, { engineVersion: "7.4" });

export function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
}
