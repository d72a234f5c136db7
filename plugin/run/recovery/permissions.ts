/** What a recovery needs to be allowed: reads at first, writes when it is known which (cli contract, exit code 4). */
import { termOf } from "../../domain/names";
import { factSources } from "../../domain/facts";
import type { Permission } from "../../domain/permissions";
import type { RecoveryPlan } from "../../domain/recovery/plan";
import type { RecoverDeps, RecoverOptions } from "./deps";
import { followingEdits } from "./edits";
import { type Look, looked } from "./look";

/** What is read in any case; the operator's log is evidence alone, and not insisted on. */
export function readPermissions(
  { names, api }: RecoverDeps,
  { namespace, name }: RecoverOptions,
): readonly Permission[] {
  const sources = factSources(names);
  const ec = { group: names.group, resource: names.ec.plural, namespace };
  return [
    {
      ...ec,
      verb: "list",
      why: `to see what the ${termOf(names.ec)} asks for and what state it is in`,
    },
    { ...ec, verb: "get", name, why: "to see whether a write without an answer was done" },
    ...looked.map((key) => {
      const { resource, own } = sources[key];
      return {
        verb: "list",
        group: resource.group,
        resource: resource.plural,
        ...(own === true && { namespace }),
        why: "to see why the upgrade does not go on",
      };
    }),
    ...(api?.permissions ?? []),
  ];
}

/** What the edits need. */
export function writePermissions(
  { names }: RecoverDeps,
  look: Look,
  plan: RecoveryPlan,
): readonly Permission[] {
  const { group, ec, edb } = names;
  const { name = "", namespace = "" } = look.ec.metadata;
  const digests: readonly Permission[] =
    plan.digests.length === 0
      ? []
      : [
          {
            ...{ verb: "patch", group, resource: ec.plural, namespace, name },
            why: "to remove the digests that pin images",
          },
        ];
  const places = new Set(
    followingEdits(look, plan)
      .filter(({ object }) => object.kind === edb.kind)
      .map(({ object }) => object.metadata.namespace ?? ""),
  );
  const edits = [...places].flatMap((place) =>
    ["patch", "get"].map((verb) => ({
      ...{ verb, group, resource: edb.plural, namespace: place },
      why: "to bring the databases in line with what runs",
    })),
  );
  return [...digests, ...edits];
}
