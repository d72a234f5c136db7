/**
 * Access reviews about others. The cluster-wide kind is asked with where that is allowed, else the
 * kind that is created in the namespace asked about, which administrators of a namespace may use.
 */
import type { KubeObject, Resource } from "../domain/objects";
import type { Permission } from "../domain/permissions";
import { getPath, asString } from "../domain/values";
import { missingPermissions } from "./engine/permissions";
import type { Access, Cluster, WriteOptions } from "./ports";

const group = "authorization.k8s.io";
const version = "v1";
const wideReview: Resource = {
  group,
  version,
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
};
const localReview: Resource = {
  group,
  version,
  plural: "localsubjectaccessreviews",
  kind: "LocalSubjectAccessReview",
};

/** Who is asked about, and what they want to do; without a namespace in the whole cluster. */
export interface ReviewQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly access: Access;
}

/** What the API server answers, with the authorizer's own words. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The right to ask about everybody everywhere, or in one namespace. */
export function reviewPermission(why: string, namespace?: string): Permission {
  const { plural: resource } = namespace === undefined ? wideReview : localReview;
  return { verb: "create", group, resource, ...(namespace !== undefined && { namespace }), why };
}

/** Asks on behalf of one run, which learns once what it may ask where. */
export class Reviews {
  #wide: Promise<boolean> | undefined;
  #everywhere: Promise<boolean> | undefined;
  readonly #near = new Map<string, Promise<boolean>>();

  constructor(private readonly cluster: Cluster) {}

  /** Whether anything may be asked about the namespace, or about the whole cluster. */
  async possible(namespace: string | undefined): Promise<boolean> {
    return (await this.#may(undefined)) || (await this.#mayNear(namespace));
  }

  async ask(question: ReviewQuestion, options: WriteOptions = {}): Promise<ReviewAnswer> {
    const { user, groups, access } = question;
    const { namespace } = access;
    const near = !(await this.#may(undefined)) && (await this.#mayNear(namespace));
    const { kind } = near ? localReview : wideReview;
    const object: KubeObject = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: near && namespace !== undefined ? { namespace } : {},
      spec: { user, groups, resourceAttributes: access },
    };
    const answer = await this.cluster.create(object, options);
    return {
      allowed: getPath(answer, ["status", "allowed"]) === true,
      reason: asString(getPath(answer, ["status", "reason"])) ?? "",
    };
  }

  async #mayNear(namespace: string | undefined): Promise<boolean> {
    if (namespace === undefined) return false;
    // one question for all namespaces, where a cluster-wide role allows it
    this.#everywhere ??= this.cluster.can({ verb: "create", group, resource: localReview.plural });
    return (await this.#everywhere) || (await this.#may(namespace));
  }

  #may(namespace: string | undefined): Promise<boolean> {
    const known = namespace === undefined ? this.#wide : this.#near.get(namespace);
    if (known !== undefined) return known;
    const asked = missingPermissions(this.cluster, [reviewPermission("", namespace)]).then(
      (missing) => missing.length === 0,
    );
    if (namespace === undefined) this.#wide = asked;
    else this.#near.set(namespace, asked);
    return asked;
  }
}
