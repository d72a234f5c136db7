/** The objects of a bundle as they are wanted in one cluster (S15–S17). */
import { parseImage } from "../image";
import type { Names } from "../names";
import { annotationOf, type KubeObject } from "../objects";
import { at, isObject, type Json, list, own, text } from "../values";
import { type BundleKind, bundleKindOf, bundleKinds } from "./kinds";
import { inRegistry } from "../image";
import { unusualIn } from "./unusual";

/** What is done to every object of the bundle. */
export interface Placing {
  readonly namespace: string;
  readonly names: Names;
  /** Registry to pull from instead of the release's. */
  readonly registry: string | undefined;
  readonly pullSecret: string | undefined;
  /** Objects that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  /** The operator's Deployment as it is; its pull secrets are kept. */
  readonly live: KubeObject | undefined;
}

/** An object of the bundle in its place. */
export interface Wanted {
  readonly kind: BundleKind;
  readonly object: KubeObject;
}

/** A bundle that can be written, or all that is wrong with it. */
export type Placed =
  | { readonly is: "placed"; readonly objects: readonly Wanted[] }
  | { readonly is: "unfit"; readonly problems: readonly string[] };

/** The objects in the order of writing: definitions first, the Deployment last. */
export function placeBundle(bundle: readonly KubeObject[], placing: Placing): Placed {
  const problems = problemsOf(bundle, placing);
  if (problems.length > 0) return { is: "unfit", problems };
  const objects = bundleKinds.flatMap((kind) =>
    bundle
      .filter((object) => bundleKindOf(object) === kind)
      .map((object) => ({ kind, object: placed(object, kind, placing) })),
  );
  return { is: "placed", objects };
}

function problemsOf(
  bundle: readonly KubeObject[],
  { names, allowObjects }: Placing,
): readonly string[] {
  const { deployment } = names.operator;
  const unknown = bundle.filter((object) => bundleKindOf(object) === undefined);
  const nameless = bundle.filter(({ metadata }) => text(metadata.name) === undefined);
  const operators = bundle.filter((object) => isOperator(object, names));
  const unusual = unusualIn(bundle, names);
  const refused = unusual.filter(({ object }) => !allowObjects.includes(object));
  const idle = allowObjects.filter((one) => unusual.every(({ object }) => object !== one));
  return [
    ...refused.map(
      ({ object, because }) => `${object}: ${because}; allow it with --allow-object ${object}`,
    ),
    ...idle.map((object) => `--allow-object ${object}: nothing of that name needs to be allowed`),
    ...unknown.map(({ apiVersion, kind }) => `${kind} in ${apiVersion} is no part of a bundle`),
    ...nameless.map(({ kind }) => `a ${kind} has no name`),
    ...(operators.length === 1
      ? []
      : [`one Deployment ${deployment} is wanted, not ${operators.length}`]),
  ];
}

/** True for the operator's Deployment. */
export function isOperator({ kind, metadata }: KubeObject, names: Names): boolean {
  return kind === "Deployment" && metadata.name === names.operator.deployment;
}

function placed(object: KubeObject, { namespaced }: BundleKind, placing: Placing): KubeObject {
  const { namespace, names } = placing;
  const { name, labels, annotations } = object.metadata;
  const fields = Object.entries(object).filter(([key]) => key !== "status");
  const bare = {
    ...(Object.fromEntries(fields) as unknown as KubeObject),
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespaced && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
  };
  return isOperator(object, names) ? withImages(bare, placing) : bare;
}

const podSpec = ["spec", "template", "spec"];

function withImages(deployment: KubeObject, { registry, pullSecret, live }: Placing): KubeObject {
  const spec = at(deployment, podSpec);
  const pod: Json = isObject(spec) ? spec : {};
  const moved = (key: string): Json => {
    const containers = own(pod, key);
    if (registry === undefined || containers === undefined) return {};
    return { [key]: list(containers).map((container) => inOther(container, registry)) };
  };
  const secrets = pullSecrets(pod, at(live, podSpec), pullSecret);
  const template = { ...(at(deployment, ["spec", "template"]) as Json) };
  return {
    ...deployment,
    spec: {
      ...(deployment["spec"] as Json),
      template: {
        ...template,
        spec: {
          ...pod,
          ...moved("initContainers"),
          ...moved("containers"),
          ...(secrets.length > 0 && { imagePullSecrets: secrets }),
        },
      },
    },
  };
}

function inOther(container: unknown, registry: string): unknown {
  const image = text(own(container, "image"));
  return isObject(container) && image !== undefined
    ? { ...container, image: inRegistry(image, registry) }
    : container;
}

/** The release's, those in force, and the one given, each once. */
function pullSecrets(pod: unknown, live: unknown, given: string | undefined): readonly Json[] {
  const held = [pod, live].flatMap((one) => list(own(one, "imagePullSecrets")));
  const named = [...held.map((secret) => text(own(secret, "name"))), given];
  return [...new Set(named.filter((name) => name !== undefined))].map((name) => ({ name }));
}

/** The images of a Deployment's containers by container. */
export function imagesOf(deployment: KubeObject | undefined): ReadonlyMap<string, string> {
  return new Map(
    list(at(deployment, [...podSpec, "containers"])).flatMap((container) => {
      const [name, image] = [text(own(container, "name")), text(own(container, "image"))];
      return name === undefined || image === undefined ? [] : [[name, image] as const];
    }),
  );
}

/** The release of the operator that a Deployment runs: its image's tag, or the chart's mark. */
export function operatorVersionOf(
  deployment: KubeObject | undefined,
  names: Names,
): string | undefined {
  const tag = parseImage(imagesOf(deployment).get(names.operator.container))?.tag;
  return tag ?? annotationOf(deployment, names.annotations.operatorVersion);
}
