/** What the Roles of a manifest grant, rule by rule, and which of it a run has asked for or used. */
import { loadAll } from "js-yaml";
import type { KubeObject } from "./api";
import type { AuditEvent } from "./audit";

/** Something that a user may be allowed to do. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** One rule of one of the Roles. */
export interface GrantedRule {
  readonly role: KubeObject;
  readonly rule: Rule;
  readonly rights: readonly Right[];
}

/** The Roles of a manifest, and their bindings. */
export function objectsIn(manifest: string): readonly KubeObject[] {
  return loadAll(manifest) as readonly KubeObject[];
}

const rulesOf = (role: KubeObject): readonly Rule[] =>
  (role as unknown as { readonly rules?: readonly Rule[] }).rules ?? [];

export function rulesIn(objects: readonly KubeObject[]): readonly GrantedRule[] {
  return objects.flatMap((role) =>
    rulesOf(role).map((rule) => ({ role, rule, rights: rightsOf(role, rule) })),
  );
}

function rightsOf({ metadata: { namespace } }: KubeObject, rule: Rule): readonly Right[] {
  const { apiGroups, resources, verbs, resourceNames = [undefined] } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        resourceNames.map((name) => ({ verb, group, resource, namespace, name })),
      ),
    ),
  );
}

/** The Roles without some of their rules. */
export function withoutRules(
  objects: readonly KubeObject[],
  taken: readonly GrantedRule[],
): readonly KubeObject[] {
  return objects.map((role) => {
    const rules = rulesOf(role);
    const left = rules.filter((rule) => !taken.some((one) => one.rule === rule));
    return rules.length === left.length ? role : { ...role, rules: left };
  });
}

/** As a report names it. */
export function renderRight({ verb, group, resource, namespace, name }: Right): string {
  const kind = group === "" ? resource : `${resource}.${group}`;
  const named = name === undefined ? "" : ` "${name}"`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return `${verb} ${kind}${named}${where}`;
}

/** True where the one includes the other. */
export function includes(granted: Right, wanted: Right): boolean {
  return (
    [granted.verb, granted.group, granted.resource].join() ===
      [wanted.verb, wanted.group, wanted.resource].join() &&
    [undefined, wanted.namespace].includes(granted.namespace) &&
    [undefined, wanted.name].includes(granted.name)
  );
}

/** What a user asked whether it is allowed, each once. */
export function askedIn(events: readonly AuditEvent[], user: string): readonly Right[] {
  const asked = events.flatMap(({ user: { username }, requestObject }) => {
    const of = requestObject?.spec?.resourceAttributes;
    return username !== user || of === undefined ? [] : [attributesOf(of)];
  });
  return eachOnce(asked);
}

function attributesOf(of: Readonly<Record<string, string>>): Right {
  const resource = [of["resource"] ?? "", of["subresource"] ?? ""].filter(Boolean).join("/");
  return {
    ...{ verb: of["verb"] ?? "", group: of["group"] ?? "", resource },
    namespace: of["namespace"] ?? undefined,
    name: of["name"] ?? undefined,
  };
}

/** What a user's requests were, as rules name it; discovery and reviews are everybody's. */
export function requestedIn(events: readonly AuditEvent[], user: string): readonly Right[] {
  const sent = events.flatMap(({ user: { username }, verb, objectRef }) => {
    const { resource, subresource, apiGroup: group = "", namespace, name } = objectRef ?? {};
    if (username !== user || resource === undefined || group.startsWith("auth")) return [];
    const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
    return [{ verb, group, resource: kind, namespace, name }];
  });
  return eachOnce(sent);
}

function eachOnce(rights: readonly Right[]): readonly Right[] {
  return [...new Map(rights.map((one) => [renderRight(one), one])).values()];
}

/** The rules without which something that was wanted is not granted. */
export function neededFor(
  rules: readonly GrantedRule[],
  wanted: readonly Right[],
): readonly GrantedRule[] {
  const covers = ({ rights }: GrantedRule, right: Right): boolean =>
    rights.some((one) => includes(one, right));
  const only = wanted.flatMap((right) => {
    const granting = rules.filter((rule) => covers(rule, right));
    return granting.length === 1 ? granting : [];
  });
  return rules.filter((rule) => only.includes(rule));
}
