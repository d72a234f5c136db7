/** Dumps for tests, and reading them with what every reading needs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { ofKind } from "../../../../plugin/domain/kube/typed";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import {
  type DumpOptions,
  type DumpPlace,
  readDump,
} from "../../../../plugin/simulator/source/dump";
import type { Source } from "../../../../plugin/simulator/source/completion";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";

export const now = Date.parse("2026-06-15T12:00:00Z");

const folder = join(__dirname, "../../../../manifests/crds");

/** The definitions that the tool ships. */
export const shippedCrds = ofKind(
  readdirSync(folder).flatMap((file) =>
    parseDocuments(readFileSync(join(folder, file), "utf8"), file),
  ) as readonly KubeObject[],
  "CustomResourceDefinition",
);

export function options(): DumpOptions {
  return { names: defaultNames, now, shippedCrds, registry: createRegistry() };
}

export function read(place: DumpPlace | string): Promise<Source> {
  const at = typeof place === "string" ? { text: place, name: "the dump" } : place;
  return readDump(at, options());
}

/** What a refused dump is refused for. */
export async function problemsOf(place: DumpPlace | string): Promise<readonly string[]> {
  const outcome = await read(place).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ code: "USAGE", exitCode: 2 });
  return (outcome as { readonly problems: readonly string[] }).problems;
}

/** `Kind namespace/name` of each object, in order. */
export function labels({ objects }: Source): readonly string[] {
  return objects.map(({ kind, metadata: { namespace, name = "" } }) =>
    [kind, namespace === undefined ? name : `${namespace}/${name}`].join(" "),
  );
}

/** A ConfigMap of namespace a. */
export function configMap(name: string, more: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "a", ...more },
    data: { key: name },
  };
}

export const namespaceA: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "a" },
};
