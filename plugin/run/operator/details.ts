/** What an upgrade of the operator alone has to say: releases, images, definitions, what changed. */
import type { Names } from "../../domain/names";
import { type KubeObject, objectLabel } from "../../domain/objects";
import { definitionResource } from "../../domain/operator/kinds";
import { imagesOf, isOperator, operatorVersionOf } from "../../domain/operator/wanted";
import { cutWhere, type Json, list, own, shown } from "../../domain/values";
import type { Evaluated } from "./evaluate";

/** Of an object, so many changes are told; the rest is a number. */
const most = 12;
const longest = 120;

/** The `details` of the report. */
export function detailsOf(
  steps: readonly Evaluated[],
  release: { readonly source: string; readonly sha256: string },
  names: Names,
): unknown {
  const operator = steps.find(({ object }) => isOperator(object, names));
  const { source, sha256 } = release;
  return {
    release: { source, sha256 },
    operator: {
      from: operatorVersionOf(operator?.live, names) ?? "none",
      to: operatorVersionOf(operator?.object, names) ?? "unknown",
      images: [...imagesOf(operator?.object)].map(([name, image]) => `${name}: ${image}`),
    },
    definitions: steps
      .filter(({ kind }) => kind.resource === definitionResource)
      .map((step) => `${step.object.metadata.name ?? ""}: ${words[step.is]}`),
    created: steps
      .filter(({ is }) => is === "create")
      .map(({ object }) => ({ object: objectLabel(object), content: contentOf(object) })),
    changes: steps.filter(({ is }) => is === "change").map(changesOf),
  };
}

const words: Readonly<Record<Evaluated["is"], string>> = {
  create: "new",
  change: "changed",
  same: "as wanted",
  kept: "kept, it is newer",
};

/** All that a new object says; of a definition what it defines, for its schema is long. */
function contentOf(object: KubeObject): unknown {
  const { metadata, spec, ...rest } = object;
  const { labels, annotations } = metadata;
  const said = Object.entries(rest).filter(([key]) => !["apiVersion", "kind"].includes(key));
  const isDefinition = object.kind === definitionResource.kind;
  const names = list(own(spec, "versions")).map((version) => own(version, "name"));
  return {
    ...{ labels, annotations },
    ...Object.fromEntries(said),
    spec: isDefinition ? { ...(spec as Json), versions: names } : spec,
  };
}

function changesOf({ object, live, changes, removed }: Evaluated): unknown {
  const before: KubeObject | undefined = live;
  const told = [
    ...changes.map(({ field, live, wanted }) => `${field}: ${becomes(shown(live), shown(wanted))}`),
    ...removed.map((field) => `${field}: goes, the release has it no more`),
  ];
  const more = told.length > most ? [`and ${told.length - most} more`] : [];
  return {
    object: objectLabel(before ?? object),
    fields: [...told.slice(0, most), ...more],
  };
}

function becomes(before: string, after: string): string {
  return `${cutWhere(before, after, longest)} becomes ${cutWhere(after, before, longest)}`;
}
