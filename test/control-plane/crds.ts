import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import type { Api } from "./api";
import type { KubeObject } from "./objects";
import { repositoryRoot } from "./pins";
import { until } from "./until";

export const crdsDir = join(repositoryRoot, "manifests", "crds");

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** Applies every definition of the folder and waits until each served version answers. */
export async function applyCrds(api: Api, dir: string = crdsDir): Promise<void> {
  const files = readdirSync(dir).filter((name) => /\.ya?ml$/.test(name));
  const objects = files.flatMap((name) => loadAll(readFileSync(join(dir, name), "utf8")));
  const definitions = (objects as readonly (Definition | null | undefined)[]).filter(
    (object): object is Definition => object?.kind === "CustomResourceDefinition",
  );
  if (definitions.length === 0) {
    throw new Error(`no CustomResourceDefinition in ${dir}`);
  }
  await Promise.all(definitions.map((definition) => api.apply(definition)));
  await Promise.all(definitions.map((definition) => served(api, definition)));
}

/** Established alone is not enough: the server installs the handler a moment later. */
async function served(api: Api, { metadata, spec }: Definition): Promise<void> {
  const versions = spec.versions.filter((version) => version.served);
  for (const { name } of versions) {
    const path = `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`;
    await until(`${metadata.name} ${name} to be served`, async () => {
      const answer = await api.send("GET", path);
      return answer.status === 200 || undefined;
    });
  }
}
