/** The entries of stored webhook configurations, with what the API server puts in where nothing is said. */
import { type Json, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { StateView } from "../model";

/** Which requests a rule of an entry means. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  /** `pods`, `pods/status`, `*`, `pods/*`. */
  readonly resources: readonly string[];
  readonly scope: string;
}

/** Where a webhook is called. */
export type Callee =
  | {
      readonly kind: "service";
      readonly name: string;
      readonly namespace: string;
      readonly port: number;
      readonly path: string;
    }
  | { readonly kind: "url"; readonly url: string };

/** One webhook. */
export interface Entry {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly equivalent: boolean;
  readonly namespaceSelector: unknown;
  readonly objectSelector: unknown;
  readonly conditional: boolean;
  readonly callee: Callee;
  /** As stored: base64 of PEM. */
  readonly caBundle: string;
  readonly failOpen: boolean;
  readonly dryRunSafe: boolean;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
}

/** Stored objects are never changed in place, so what was read of one stays right. */
const parsed = new WeakMap<KubeObject, readonly Entry[]>();

/** All entries, by the name of their configuration and their place in it. */
export function entriesOf(
  plural: "validatingwebhookconfigurations" | "mutatingwebhookconfigurations",
  state: StateView,
): readonly Entry[] {
  const configurations = state.list({ group: "admissionregistration.k8s.io", plural });
  const nameOf = ({ metadata: { name = "" } }: KubeObject): string => name;
  return [...configurations].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).flatMap(entriesIn);
}

function entriesIn(configuration: KubeObject): readonly Entry[] {
  const known = parsed.get(configuration);
  if (known !== undefined) return known;
  const entries = list(own(configuration, "webhooks")).map(parseEntry);
  parsed.set(configuration, entries);
  return entries;
}

function parseEntry(entry: unknown): Entry {
  const client = own(entry, "clientConfig");
  const timeout = own(entry, "timeoutSeconds");
  return {
    name: text(own(entry, "name")) ?? "",
    rules: list(own(entry, "rules")).map(parseRule),
    equivalent: own(entry, "matchPolicy") !== "Exact",
    namespaceSelector: own(entry, "namespaceSelector"),
    objectSelector: own(entry, "objectSelector"),
    conditional: list(own(entry, "matchConditions")).length > 0,
    callee: calleeOf(client),
    caBundle: text(own(client, "caBundle")) ?? "",
    failOpen: own(entry, "failurePolicy") === "Ignore",
    dryRunSafe: ["None", "NoneOnDryRun"].includes(text(own(entry, "sideEffects")) ?? ""),
    timeoutSeconds: typeof timeout === "number" ? timeout : 10,
    reviewVersions: strings(entry, "admissionReviewVersions"),
  };
}

function parseRule(rule: unknown): Rule {
  return {
    apiGroups: strings(rule, "apiGroups"),
    apiVersions: strings(rule, "apiVersions"),
    operations: strings(rule, "operations"),
    resources: strings(rule, "resources"),
    scope: text(own(rule, "scope")) ?? "*",
  };
}

function calleeOf(client: unknown): Callee {
  const service = own(client, "service");
  const url = text(own(client, "url"));
  if (url !== undefined) return { kind: "url", url };
  const port = own(service, "port");
  return {
    kind: "service",
    name: text(own(service, "name")) ?? "",
    namespace: text(own(service, "namespace")) ?? "",
    port: typeof port === "number" ? port : 443,
    path: text(own(service, "path")) ?? "/",
  };
}

function strings(value: unknown, key: keyof Rule | "admissionReviewVersions"): readonly string[] {
  return list(own(value as Json, key)).map(String);
}
