/** What `validate` says of objects that bring the product's objects into a cluster: GitOps applications, charts with values, templates. */
import { dirname, posix, resolve } from "node:path";
import type { Manifest } from "../../adapters/manifests";
import type { Finding } from "../../domain/base/findings";
import {
  asArray,
  asString,
  escapeRegExp,
  getOwn,
  getPath,
  isObject,
} from "../../domain/base/values";
import type { Names } from "../../domain/names/names";
import { findRuledKind } from "../../domain/rules/clusters";
import { fieldName } from "../../domain/rules/fields";
import { ruleFinding } from "../../domain/rules/findings";
import { plain } from "../../domain/rules/wording";
import type { GlobalOptions } from "../../cmdutil/context";
import { isKustomization } from "./kustomizations";
import { renderFirst, wayToRender } from "./templates";

type Path = readonly (string | number)[];

/** An object whose fields are rendered, or put over other objects, in the cluster. */
interface Carrier {
  readonly group: string;
  readonly kind: string;
  /** The fields that reach objects; others name kinds without changing them. */
  readonly paths: readonly (readonly string[])[];
  /** Fields that change every object below the folder that `spec.path` names. */
  readonly changing?: readonly string[];
  /** The words of the program that prints what comes of it, where the file tells all of them. */
  readonly render?: (manifest: Manifest) => readonly string[] | undefined;
  /** What to do where there is no such line. */
  readonly fix: string;
}

const chartFix = "render its chart with its values: helm template NAME CHART --values VALUES";

const carriers: readonly Carrier[] = [
  {
    group: "kustomize.toolkit.fluxcd.io",
    kind: "Kustomization",
    paths: ["patches", "patchesStrategicMerge", "patchesJson6902"].map((key) => ["spec", key]),
    changing: ["targetNamespace", "namePrefix", "nameSuffix", "components"],
    render: renderFlux,
    fix: "render it: flux build kustomization NAME --path PATH --kustomization-file FILE --dry-run",
  },
  {
    group: "helm.toolkit.fluxcd.io",
    kind: "HelmRelease",
    paths: ["values", "postRenderers"].map((key) => ["spec", key]),
    fix: chartFix,
  },
  {
    group: "helm.cattle.io",
    kind: "HelmChart",
    paths: ["values", "valuesContent", "set"].map((key) => ["spec", key]),
    fix: chartFix,
  },
  {
    group: "argoproj.io",
    kind: "Application",
    paths: ["source", "sources"].map((key) => ["spec", key]),
    render: ({ value }) => {
      const name = asString(getPath(value, ["metadata", "name"]));
      return name === undefined ? undefined : ["argocd", "app", "manifests", name];
    },
    fix: "render it: argocd app manifests NAME",
  },
  {
    group: "argoproj.io",
    kind: "ApplicationSet",
    paths: [
      ...["source", "sources"].map((key) => ["spec", "template", "spec", key]),
      ...["generators", "templatePatch"].map((key) => ["spec", key]),
    ],
    fix: "render each application that it makes: argocd app manifests NAME",
  },
];

function renderFlux({ value, file }: Manifest): readonly string[] | undefined {
  const [name, namespace] = ["name", "namespace"].map((key) =>
    asString(getPath(value, ["metadata", key])),
  );
  if (name === undefined || file === "stdin") return undefined;
  const path = asString(getPath(value, ["spec", "path"])) ?? "./";
  const place = namespace === undefined ? [] : ["--namespace", namespace];
  const files = ["--path", path, "--kustomization-file", file];
  return ["flux", "build", "kustomization", name, ...place, ...files, "--dry-run"];
}

/** A warning for each object of others that names, or holds, objects of the product. */
export function carrierFindings(
  manifests: readonly Manifest[],
  { prefix }: Pick<GlobalOptions, "prefix">,
  names: Names,
): readonly Finding[] {
  const findCarried = carriedIn(manifests, names);
  return manifests.flatMap((manifest) => {
    const carried = findCarried(manifest);
    if (carried === undefined) return [];
    const { path, verb, word, carrier } = carried;
    const cause = `${plain(renderPath(path))} ${verb} ${word}: what comes of it was not checked`;
    const line = carrier?.render?.(manifest);
    const way =
      carrier === undefined
        ? { fix: `check the object in a file of its own: ${prefix} validate -f FILE` }
        : wayToRender(prefix, line === undefined ? carrier.fix : renderFirst, line);
    return [{ ...ruleFinding("unrendered", { cause, location: manifest.locate(path) }), ...way }];
  });
}

interface Carried extends Held {
  readonly verb: "holds" | "names" | "changes";
  /** Undefined for an object of any other kind. */
  readonly carrier: Carrier | undefined;
}

/** Finds what an object of others has of the product. */
function carriedIn(
  manifests: readonly Manifest[],
  names: Names,
): (manifest: Manifest) => Carried | undefined {
  const kinds = [names.ec, names.edb, names.eaadb].map(({ kind }) => kind);
  const product = manifests.filter(({ value }) => findRuledKind(value, names) !== undefined);
  const fields = [names.fields.engineVersion, names.fields.engineUpgradePolicy].map(fieldName);
  const words = new RegExp(`\\b(?:${listWords([...kinds, ...fields])})\\b`);
  const before = `^[ \\t]*(?:- +)?kind:[ \\t]+["']?|"kind"[ \\t]*:[ \\t]*"`;
  const kind = new RegExp(`(?:${before})(${listWords(kinds)})\\b`, "m");
  const texts = { group: `${names.group}/`, kind };
  return (manifest) => {
    const { value } = manifest;
    const group = asString(getOwn(value, "apiVersion"))?.split("/")[0];
    if (group === names.group || !isObject(value) || isKustomization(manifest)) return undefined;
    const carrier = carriers.find((each) => each.group === group && each.kind === value["kind"]);
    const [held] =
      carrier === undefined
        ? [findHeld(value, texts, names)]
        : carrier.paths.flatMap((path) => findWord(getPath(value, path), words, path) ?? []);
    if (held !== undefined) return { ...held, verb: carrier ? "names" : "holds", carrier };
    const changed = carrier?.changing && findChanged(value, carrier.changing, product);
    return changed && { ...changed, verb: "changes", carrier };
  };
}

/** The first field that changes objects of the product, each of which is in the folder that it names. */
function findChanged(
  value: unknown,
  fields: readonly string[],
  product: readonly Manifest[],
): Held | undefined {
  const wanted = posix.join("/", asString(getPath(value, ["spec", "path"])) ?? "", "/");
  const below = product.filter(({ file }) => `${dirname(resolve(file))}/`.includes(wanted));
  for (const field of fields) {
    const given = getPath(value, ["spec", field]);
    const changed = below.find(
      (each) =>
        field !== "targetNamespace" || getPath(each.value, ["metadata", "namespace"]) !== given,
    );
    if (changed !== undefined && isGiven(given)) {
      return { path: ["spec", field], word: `the objects of ${changed.file}` };
    }
  }
  return undefined;
}

function isGiven(value: unknown): boolean {
  return asString(value) !== undefined || asArray(value).length > 0;
}

function listWords(words: readonly string[]): string {
  return words.map(escapeRegExp).join("|");
}

/** Where in an object something is. */
interface Held {
  readonly path: Path;
  readonly word: string;
}

/** The first key or text with one of the words. */
function findWord(value: unknown, words: RegExp, at: Path): Held | undefined {
  return findIn(value, at, (each, path) => {
    const key = path.at(-1);
    const text = typeof each === "string" ? each : "";
    const found = words.exec(typeof key === "string" ? key : "") ?? words.exec(text);
    return found?.[0];
  });
}

/** An object of the product in one of others, or its text; owners and involved objects have no spec. */
function findHeld(
  object: object,
  texts: { readonly group: string; readonly kind: RegExp },
  names: Names,
): Held | undefined {
  const judge = (value: unknown): string | undefined => {
    if (typeof value === "string") {
      return value.includes(texts.group) ? texts.kind.exec(value)?.[1] : undefined;
    }
    const kind = findRuledKind(value, names);
    return kind !== undefined && isObject(getOwn(value, "spec")) ? names[kind].kind : undefined;
  };
  for (const [key, inner] of Object.entries(object)) {
    const held = ["metadata", "status"].includes(key) ? undefined : findIn(inner, [key], judge);
    if (held !== undefined) return held;
  }
  return undefined;
}

/** The first value in which something is found, from the outside in. */
function findIn(
  value: unknown,
  path: Path,
  judge: (value: unknown, path: Path) => string | undefined,
): Held | undefined {
  const word = judge(value, path);
  if (word !== undefined) return { path, word };
  const inner: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, each] of inner) {
    const held = findIn(each, [...path, key], judge);
    if (held !== undefined) return held;
  }
  return undefined;
}

function renderPath(path: Path): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .slice(1);
}
