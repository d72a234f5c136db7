/** What `validate` says of kustomizations: the objects that they change are checked as they were before. */
import { basename, dirname, resolve } from "node:path";
import type { Manifest, Manifests } from "../../adapters/manifests";
import { parseDocuments } from "../../adapters/kubernetes/text/yaml";
import type { Finding } from "../../domain/base/findings";
import {
  asArray,
  asString,
  getOwn,
  getPath,
  groupBy,
  isObject,
  type Json,
} from "../../domain/base/values";
import type { Names } from "../../domain/names/names";
import { readEqualities } from "../../domain/kube/selectors";
import { findRuledKind, ruledKinds } from "../../domain/rules/clusters";
import { ruleFinding } from "../../domain/rules/findings";
import { quote } from "../../domain/rules/wording";
import type { GlobalOptions } from "../../cmdutil/context";
import { renderFirst, wayToRender } from "./templates";

type Files = Pick<Manifests, "manifests" | "files">;

/** One thing that a kustomization does to objects of the product, or may do. */
interface Change {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** What a kustomization, or a file, has of the product. */
interface Content {
  readonly objects: readonly Json[];
  /** Some of it is not among the files, or is made by a generator. */
  readonly isOpen: boolean;
  /** A kustomization below gives names, namespaces or labels: a selector may choose by those. */
  readonly isRenamed: boolean;
}

const nothing: Content = { objects: [], isOpen: false, isRenamed: false };
const unread: Content = { ...nothing, isOpen: true };

export function isKustomization({ value, file }: Manifest): boolean {
  const group = asString(getOwn(value, "apiVersion"))?.split("/")[0];
  return group === "kustomize.config.k8s.io" || /^kustomization(\.ya?ml)?$/i.test(basename(file));
}

/** The files that a kustomization names as patches: they are parts of objects, and no manifests. */
export function listPatchFiles({ value, file }: Manifest): readonly string[] {
  const listed = [
    ...[...listAt(value, "patches"), ...listAt(value, "patchesJson6902")].map((patch) =>
      getOwn(patch, "path"),
    ),
    ...listAt(value, "patchesStrategicMerge"),
  ];
  return listed.flatMap((path) => asString(path) ?? []).map((path) => resolve(dirname(file), path));
}

/** A warning for each kustomization that changes objects of the product, or may change or bring some. */
export function kustomizationFindings(
  input: Files,
  { prefix }: Pick<GlobalOptions, "prefix">,
  names: Names,
): readonly Finding[] {
  const kustomizations = input.manifests.filter(isKustomization);
  if (kustomizations.length === 0) return [];
  const tree = new Tree(input, kustomizations, names);
  return kustomizations.flatMap((kustomization) => {
    const changes = tree.listChanges(kustomization);
    const [first] = changes;
    if (first === undefined) return [];
    const folder = dirname(kustomization.file);
    const texts = changes.map(({ text }) => text);
    const more = texts.length > 3 ? [`and ${texts.length - 3} more`] : [];
    const cause = `${[...texts.slice(0, 3), ...more].join("; ")}: what comes of ${folder} was not checked`;
    const location = kustomization.locate(first.path);
    const helm = tree.needsHelm(kustomization) ? ["--enable-helm"] : [];
    const including = "render each kustomization that includes it: kubectl kustomize FOLDER";
    const way =
      isComponent(kustomization) || kustomization.file === "stdin"
        ? wayToRender(prefix, including, undefined)
        : wayToRender(prefix, renderFirst, ["kubectl", "kustomize", ...helm, folder]);
    return [{ ...ruleFinding("unrendered", { cause, location }), ...way }];
  });
}

/** The kustomizations among the files, by their folders, and what each has from others. */
class Tree {
  private readonly read: ReadonlySet<string>;
  private readonly files: ReadonlyMap<string, readonly Manifest[]>;
  private readonly folders: ReadonlyMap<string, Manifest>;
  private readonly included: ReadonlySet<Manifest>;
  private readonly contents = new Map<string, Content>();

  constructor(
    { manifests, files }: Files,
    kustomizations: readonly Manifest[],
    private readonly names: Names,
  ) {
    this.read = new Set(files.map((file) => resolve(file)));
    const byFile = groupBy(manifests, ({ file }) => file);
    this.files = new Map([...byFile].map(([file, group]) => [resolve(file), group]));
    this.folders = new Map(kustomizations.map((one) => [dirname(resolve(one.file)), one] as const));
    this.included = new Set(kustomizations.flatMap((one) => this.listComponents(one)));
  }

  /** Nothing of a component that another kustomization includes: there its changes count. */
  listChanges(kustomization: Manifest): readonly Change[] {
    if (this.included.has(kustomization)) return [];
    const content = isComponent(kustomization)
      ? unread
      : this.readContent(dirname(resolve(kustomization.file)));
    return this.changesIn(kustomization, content, new Set());
  }

  needsHelm(kustomization: Manifest, seen = new Set<Manifest>()): boolean {
    if (seen.has(kustomization)) return false;
    seen.add(kustomization);
    const { value } = kustomization;
    if (chartKeys.some((key) => listAt(value, key).length > 0)) return true;
    return sourceKeys.some((key) =>
      this.listFolders(kustomization, key).some((inner) => this.needsHelm(inner, seen)),
    );
  }

  private changesIn(
    kustomization: Manifest,
    content: Content,
    seen: Set<Manifest>,
  ): readonly Change[] {
    if (seen.has(kustomization)) return [];
    seen.add(kustomization);
    const { value } = kustomization;
    const folder = dirname(resolve(kustomization.file));
    const own = [...this.listSources(value, folder), ...listFields(value, content)];
    const patches = patchKeys.flatMap((key) =>
      listAt(value, key).map((patch, index) => ({
        path: [key, index],
        effect: this.judgePatch(patch, folder, content),
      })),
    );
    const replacements = listAt(value, "replacements").map((one, index) => ({
      path: ["replacements", index],
      effect: this.judgeReplacement(one, content),
    }));
    const judged = [...patches, ...replacements].flatMap(({ path, effect }) => {
      const text = renderEffect(effect, content);
      return text === undefined ? [] : [{ path, text: `${path.join("[")}] ${text}` }];
    });
    const components = this.listComponents(kustomization).flatMap((component) =>
      this.changesIn(component, content, seen).map(({ text }) => ({
        path: ["components"],
        text: `${component.file}: ${text}`,
      })),
    );
    return [...own, ...judged, ...components];
  }

  /** What is not among the files. */
  private listSources(value: unknown, folder: string): readonly Change[] {
    const sources = sourceKeys.flatMap((key) =>
      listAt(value, key).flatMap((source, index) => {
        const path = asString(source);
        return path === undefined || this.isRead(resolve(folder, path))
          ? []
          : [{ path: [key, index], text: `${key}[${index}] ${quote(path)} was not read` }];
      }),
    );
    const generators = generatorKeys
      .filter((key) => listAt(value, key).length > 0)
      .map((key) => ({ path: [key], text: `${key} may make objects of the product` }));
    return [...sources, ...generators];
  }

  private isRead(path: string): boolean {
    return this.read.has(path) || this.folders.has(path);
  }

  private listComponents(kustomization: Manifest): readonly Manifest[] {
    return this.listFolders(kustomization, "components");
  }

  private listFolders({ value, file }: Manifest, key: string): readonly Manifest[] {
    return listAt(value, key).flatMap(
      (path) => this.folders.get(resolve(dirname(file), asString(path) ?? "")) ?? [],
    );
  }

  /** Of a folder with a kustomization, or of a file. */
  private readContent(path: string): Content {
    const known = this.contents.get(path);
    if (known !== undefined) return known;
    // a kustomization that leads back to itself adds nothing
    this.contents.set(path, nothing);
    const content = this.collectContent(path);
    this.contents.set(path, content);
    return content;
  }

  private collectContent(path: string): Content {
    const kustomization = this.folders.get(path);
    if (kustomization === undefined) {
      return this.read.has(path) ? this.readFile(path) : unread;
    }
    const { value } = kustomization;
    const inner = sourceKeys.flatMap((key) =>
      listAt(value, key).map((source) => this.readContent(resolve(path, asString(source) ?? ""))),
    );
    const isGenerated = generatorKeys.some((key) => listAt(value, key).length > 0);
    return {
      objects: inner.flatMap(({ objects }) => objects),
      isOpen: isGenerated || inner.some(({ isOpen }) => isOpen),
      isRenamed:
        inner.some(({ isRenamed }) => isRenamed) ||
        [...nameKeys, ...labelKeys].some((key) => getOwn(value, key) !== undefined),
    };
  }

  private readFile(path: string): Content {
    const values = (this.files.get(path) ?? []).map(({ value }) => value);
    return { ...nothing, objects: values.filter((value) => this.isProduct(value)) };
  }

  private isProduct(value: unknown): value is Json {
    return findRuledKind(value, this.names) !== undefined;
  }

  private judgePatch(patch: unknown, folder: string, content: Content): Effect {
    const target = getOwn(patch, "target");
    if (isObject(target)) return this.judgeSelector(target, content);
    const documents = this.readPatch(patch, folder);
    if (documents === undefined) return { is: "open", because: "its text was not read" };
    const changed = documents.find((each) => this.isProduct(each));
    return changed === undefined
      ? { is: "none" }
      : { is: "change", kind: String(getOwn(changed, "kind")) };
  }

  /** A patch without target tells what it is for; undefined where it cannot be read. */
  private readPatch(patch: unknown, folder: string): readonly unknown[] | undefined {
    const file = asString(patch) ?? asString(getOwn(patch, "path"));
    const path = resolve(folder, file ?? "");
    if (file !== undefined && this.read.has(path)) {
      return (this.files.get(path) ?? []).map(({ value }) => value);
    }
    const text = asString(getOwn(patch, "patch")) ?? (file?.includes("\n") ? file : undefined);
    return text === undefined ? undefined : parsePatch(text);
  }

  /** Each target of a replacement has a selector; those in a file of their own are not looked for. */
  private judgeReplacement(replacement: unknown, content: Content): Effect {
    if (getOwn(replacement, "path") !== undefined) {
      return { is: "open", because: "its targets are in another file" };
    }
    const effects = listAt(replacement, "targets").map((target) =>
      this.judgeSelector(getOwn(target, "select"), content),
    );
    return (
      effects.find(({ is }) => is === "change") ??
      effects.find(({ is }) => is === "open") ?? { is: "none" }
    );
  }

  /** Whether a selector chooses objects of the product, those that are not among the files included. */
  private judgeSelector(selector: unknown, { objects, isOpen, isRenamed }: Content): Effect {
    const [byKind, byAll] = [kindFields, selectorFields].map((fields) =>
      readSelector(selector, fields),
    );
    if (byKind === undefined || byAll === undefined) {
      return { is: "open", because: "its target cannot be compared" };
    }
    const chosen = objects.find(isRenamed ? byKind : byAll);
    if (chosen !== undefined) return { is: "change", kind: String(chosen["kind"]) };
    const isPossible = ruledKinds.some((key) =>
      byKind({ apiVersion: `${this.names.group}/v1`, kind: this.names[key].kind }),
    );
    return isOpen && isPossible
      ? { is: "open", because: "not all of them were read" }
      : { is: "none" };
  }
}

type Matches = (object: Json) => boolean;

/** How a field of a selector is compared; undefined for one that is not compared here. */
type SelectorField = (given: string) => Matches | undefined;

const kindFields: Readonly<Record<string, SelectorField>> = {
  group: compare(({ apiVersion }) => String(apiVersion).split("/")[0]),
  kind: compare(({ kind }) => kind),
};
const selectorFields: typeof kindFields = {
  ...kindFields,
  version: compare(({ apiVersion }) => String(apiVersion).split("/")[1]),
  name: compare((object) => getPath(object, ["metadata", "name"])),
  // kustomize takes an object without a namespace as one of "default"
  namespace: compare((object) => getPath(object, ["metadata", "namespace"]) ?? "default"),
  labelSelector: compareMarks("labels"),
  annotationSelector: compareMarks("annotations"),
};

/** Patterns of kustomize match the whole value. One with many repetitions could take very long here. */
function compare(read: (object: Json) => unknown): SelectorField {
  return (pattern) => {
    if (!/^[\w.|-]*(?:\*[\w.|-]*){0,2}$/.test(pattern) || pattern.startsWith("*")) return undefined;
    const whole = new RegExp(`^(?:${pattern})$`);
    return (object) => whole.test(String(read(object)));
  };
}

/** Equal labels or annotations alone. */
function compareMarks(key: "labels" | "annotations"): SelectorField {
  return (text) => {
    const pairs = readEqualities(text);
    return (
      pairs &&
      ((object) =>
        pairs.every(([mark, value]) => getPath(object, ["metadata", key, mark]) === value))
    );
  };
}

/** Whether an object is chosen by these fields; undefined where one of them cannot be compared. */
function readSelector(
  selector: unknown,
  fields: Readonly<Record<string, SelectorField>>,
): Matches | undefined {
  const parts = Object.entries(fields).flatMap(([field, judge]) => {
    const given = asString(getOwn(selector, field));
    return given === undefined ? [] : [judge(given)];
  });
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length
    ? undefined
    : (object) => known.every((matches) => matches(object));
}

function parsePatch(text: string): readonly unknown[] | undefined {
  try {
    return parseDocuments(text, "patch");
  } catch {
    return undefined;
  }
}

/** What a patch or a replacement does to objects of the product; `open` where that cannot be told. */
type Effect =
  | { readonly is: "none" }
  | { readonly is: "change"; readonly kind: string }
  | { readonly is: "open"; readonly because: string };

function renderEffect(effect: Effect, { objects, isOpen }: Content): string | undefined {
  if (effect.is === "change") return `changes ${effect.kind}`;
  return effect.is === "open" && (objects.length > 0 || isOpen)
    ? `may change objects of the product (${effect.because})`
    : undefined;
}

/**
 * Fields that change every object. Labels, annotations, images and replicas are no part of what is
 * checked, and variables that a file has not filled in are reported as placeholders.
 */
function listFields(value: unknown, { objects, isOpen }: Content): readonly Change[] {
  if (objects.length === 0 && !isOpen) return [];
  const changed = nameKeys.filter((key) => {
    const given = asString(getOwn(value, key));
    const namespaces = objects.map((each) => getPath(each, ["metadata", "namespace"]));
    const isSame = key === "namespace" && !isOpen && namespaces.every((one) => one === given);
    return given !== undefined && !isSame;
  });
  const opened = ["transformers", "configurations"].filter((key) => listAt(value, key).length > 0);
  return [
    ...changed.map((key) => ({ path: [key], text: `${key} changes objects of the product` })),
    ...opened.map((key) => ({ path: [key], text: `${key} may change objects of the product` })),
  ];
}

const nameKeys = ["namespace", "namePrefix", "nameSuffix"] as const;
const labelKeys = ["commonLabels", "labels", "commonAnnotations"] as const;
const sourceKeys = ["resources", "bases", "components"] as const;
const patchKeys = ["patches", "patchesJson6902", "patchesStrategicMerge"] as const;
const chartKeys = ["helmCharts", "helmChartInflationGenerator"] as const;
const generatorKeys = ["generators", ...chartKeys] as const;

function listAt(value: unknown, key: string): readonly unknown[] {
  return asArray(getOwn(value, key));
}

function isComponent({ value }: Manifest): boolean {
  return getOwn(value, "kind") === "Component";
}
