/** What the status of an EC holds of the release that it runs (domain facts 7). */
import type { Names } from "../../domain/names";
import { at, type Json, list, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Managed } from "./cluster-state";
import { bundledBy } from "./releases";
import { hashOf, statusWith } from "./writes";

/** Whether the status already lists what a release bundles. */
export function tellsRelease({ ec, running, scene }: Managed): boolean {
  const told = at(ec, scene.names.fields.bundledDatabaseVersions);
  return hashOf(told) === hashOf(bundledList(running, scene.names));
}

function bundledList(tag: string, names: Names): readonly Json[] {
  const { bundledType, bundledVersion } = names.entryFields;
  return bundledBy(tag).map((version) => ({
    [bundledType]: names.engineDbType,
    [bundledVersion]: version,
  }));
}

/** Versions; modules and a license where nothing was told of them yet. */
export function releaseStatus({ ec, running, scene }: Managed): Json {
  const { names } = scene;
  const { fields, ecFields } = names;
  const values: readonly (readonly [readonly string[], unknown])[] = [
    [fields.bundledDatabaseVersions, bundledList(running, names)],
    [fields.statusModules, modulesOf(ec, running, names)],
    [ecFields.licenseState, text(at(ec, ecFields.licenseState)) ?? "Valid"],
  ];
  return statusWith(ec, values);
}

function modulesOf(ec: KubeObject, tag: string, names: Names): readonly unknown[] {
  const { statusModuleName, statusModuleDisplayName } = names.entryFields;
  const known = list(at(ec, names.fields.statusModules));
  if (known.length > 0) return known;
  return names.bundledModules.map((name) => ({
    [statusModuleName]: name,
    [statusModuleDisplayName]: name,
    versions: [tag.replace(/-.*$/, "")],
  }));
}
