/** The companion webhook's manifests under any names, as `kubectl apply -k` would send them. */
import { shippedWebhook } from "../adapters/shipped-webhook";
import { parseDocuments } from "../adapters/yaml";
import { defaultNames, type Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { rebrand } from "../domain/rebrand";
import { isObject, asArray, getOwn, asString } from "../domain/values";
import { createRegistry } from "../rehearsal/kinds/registry";
import { strategicMerge } from "../rehearsal/memory/patches";
import { structureOf } from "../rehearsal/memory/structure";
import { namesText } from "./names-text";

/** The base, or the overlay with a certificate of its own; the names travel along as a ConfigMap. */
export function webhookManifests(names: Names, ownCert: boolean): readonly KubeObject[] {
  const built = new Kustomization(shippedWebhook()).build(ownCert ? "webhook-own-cert" : "webhook");
  if (names === defaultNames) return built;
  const objects = built.map((object) => rebrand(object, names) as KubeObject);
  const [first, ...others] = objects.map((object) => withNames(object, names));
  return first === undefined ? [] : [first, namesMap(names), ...others];
}

/** The part of kustomize that the shipped folders use; a test refuses any other. */
class Kustomization {
  readonly #registry = createRegistry();

  constructor(private readonly files: Readonly<Record<string, string>>) {}

  build(folder: string): readonly KubeObject[] {
    const [file] = this.#read(`${folder}/kustomization.yaml`);
    const resources = asArray(getOwn(file, "resources")).map(String);
    const objects = resources.flatMap((path) =>
      path.startsWith("../")
        ? this.build(path.slice(3))
        : this.#read(`${folder}/${path}`).filter(isManifest),
    );
    const patches = asArray(getOwn(file, "patches")).flatMap((patch) =>
      this.#read(`${folder}/${asString(getOwn(patch, "path")) ?? ""}`).filter(isManifest),
    );
    const tags = new Map(
      asArray(getOwn(file, "images")).map((image) => [
        getOwn(image, "name"),
        getOwn(image, "newTag"),
      ]),
    );
    return patches
      .reduce((held, patch) => held.map((object) => this.#patched(object, patch)), objects)
      .map((object) => tagged(object, tags) as KubeObject);
  }

  #read(path: string): readonly unknown[] {
    return parseDocuments(this.files[path] ?? "", path);
  }

  #patched(object: KubeObject, patch: KubeObject): KubeObject {
    const isMeant = object.kind === patch.kind && object.metadata.name === patch.metadata.name;
    return isMeant ? merged(object, patch, this.#registry) : object;
  }
}

function isManifest(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value["metadata"]);
}

function merged(
  object: KubeObject,
  patch: unknown,
  registry: ReturnType<typeof createRegistry>,
): KubeObject {
  const definition = registry.byKind(object.apiVersion, object.kind);
  const structure = definition === undefined ? {} : structureOf(definition);
  return strategicMerge(object, patch, structure) as KubeObject;
}

/** Every image of these names with its tag. */
function tagged(value: unknown, tags: ReadonlyMap<unknown, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => tagged(item, tags));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const tag = key === "image" ? asString(tags.get(inner)) : undefined;
    return [key, tag === undefined ? tagged(inner, tags) : `${String(inner)}:${tag}`];
  });
  return Object.fromEntries(entries) as unknown;
}

const namesFile = "names.yaml";
const namesFolder = "/etc/names";

const namesObject = ({ companion }: Names): string => `${companion.deployment}-names`;

/** The names file itself, which the webhook's pods have to know as well. */
function namesMap(names: Names): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: namesObject(names), namespace: names.companion.namespace },
    data: { [namesFile]: namesText(names) },
  };
}

/** A Deployment whose containers read that file. */
function withNames(object: KubeObject, names: Names): KubeObject {
  if (object.kind !== "Deployment") return object;
  const podSpec = getOwn(getOwn(getOwn(object, "spec"), "template"), "spec");
  const containers = asArray(getOwn(podSpec, "containers")).map((container) => ({
    name: getOwn(container, "name"),
    env: [{ name: "ENGINE_NAMES", value: `${namesFolder}/${namesFile}` }],
    volumeMounts: [{ name: "names", mountPath: namesFolder, readOnly: true }],
  }));
  const volumes = [{ name: "names", configMap: { name: namesObject(names) } }];
  const spec = { template: { spec: { containers, volumes } } };
  return merged(object, { spec }, createRegistry());
}
