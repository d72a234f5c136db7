/** `upgrade-operator` as a part, and what `upgrade` knows of it (S15–S23). */
import { exitCodes } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import { together } from "../../domain/facts/needs";
import { type DesiredObject, placeBundle } from "../../domain/operator/wanted";
import { requireExpected, type Part, type Planned, makeStopped } from "../../kernel/part";
import { projectWrites } from "../../kernel/projection";
import type { World } from "../../kernel/world";
import { describeDryRun } from "../../kernel/simple-part";
import type { CommandContext } from "../../cmdutil/context";
import { readBundle } from "../../cmdutil/release-option";
import { writeOptions } from "../../cmdutil/run-ports";
import type { UpgradePart, UpgradePartFlags } from "../../cmdutil/upgrade-part";
import { stopSymptoms } from "../../domain/rbac/symptoms";
import { prerequisiteCodes } from "../../domain/checks/prerequisites";
import type { ReleaseContents } from "../../domain/release/contents";
import { readChartOptions } from "./by-chart";
import { chartPart } from "./chart";
import { bundleNeeds, chartNeeds } from "./needs";
import { BundleAct, BundlePlanning, listChanges } from "./bundle";
import { describeDetails } from "./changes";
import { projectAssumed, projectBundle } from "./projection";
import type { BundleOptions } from "./read";

/** What `upgrade` knows of it. */
export const operator: UpgradePart = {
  id: "operator",
  title: "Upgrade the operator",
  because: "it comes first; it manages no database until the cluster has followed",
  source: "S9, S15-S23",
  settles: {
    areas: ["definitions"],
    codes: [
      "OPERATOR-OWNED",
      "OPERATOR-NOT-READY",
      "OPERATOR-IMAGES-DIFFER",
      "OPERATOR-REGISTRY",
      "OPERATOR-ACCOUNT-ABSENT",
    ],
  },
  // the new operator halts where a namespace lacks one of them, and upgrades a cluster that follows it at once
  restsOn: [...stopSymptoms.map(({ code }) => code), "CLUSTER-AUTO-USER-MODULES"],
  blockedBy: prerequisiteCodes,
  needs: ({ facts, flags, opened, contents, context }) => {
    const { names, namespace } = facts;
    if (opened === undefined) return [chartNeeds({ names, namespace })];
    const { registry, pullSecret, allowObjects } = flags;
    const placing = { namespace, registry, pullSecret, allowObjects };
    return [
      bundleNeeds({
        ...{ names, namespace, registry, pullSecret },
        bundle:
          contents === undefined
            ? readBundle(opened, context, placing)
            : placeContents(contents, { ...placing, names }),
      }),
    ];
  },
  makeParts: async ({ context, flags, contents, facts }) => {
    const { namespace } = await context.connect();
    const { chart } = flags;
    if (chart !== undefined) {
      const { takeFields, allowObjects } = flags;
      const own = { namespace, takeFields, allowObjects, skip: undefined };
      const options = readChartOptions(context, { ...chart, ...own });
      return [chartPart({ ...options, before: facts })];
    }
    if (contents === undefined) return [];
    const own = { namespace, contents, before: facts };
    return [bundlePart({ ...readBundleOptions(context, flags), ...own })];
  },
};

/** What the part is told. */
export interface BundlePartOptions extends BundleOptions {
  /** What the cluster was before a whole upgrade, for what is planned after this part; absent: nothing is. */
  readonly before?: Facts;
}

type OfFlags = "registry" | "pullSecret" | "takeFields" | "allowObjects";

/** What the part is told by the flags, and by those of every command. */
export function readBundleOptions(
  context: CommandContext,
  { registry, pullSecret, takeFields, allowObjects }: Pick<UpgradePartFlags, OfFlags>,
): Omit<BundleOptions, "namespace" | "contents"> {
  const { env, options, rehearsed = false } = context;
  return {
    ...{ ...writeOptions(context), timeoutMs: options.timeoutMs },
    ...{ registry, pullSecret, takeFields, allowObjects },
    ...{ rehearsed, helmDriver: env["HELM_DRIVER"] },
  };
}

/** Upgrades the operator by its bundle. */
export function bundlePart(options: BundlePartOptions): Part {
  return {
    command: "upgrade-operator",
    // a bundle that is none needs nothing: its plan refuses it before anything is read
    needs: (names) => {
      const bundle = placeContents(options.contents, { ...options, names });
      return bundle.length === 0 ? together([]) : bundleNeeds({ ...options, names, bundle });
    },
    plan: async (world) => await planBundle(world, { ...options, dryRun: world.dryRun }),
  };
}

async function planBundle(world: World, options: BundlePartOptions): Promise<Planned> {
  const planning = new BundlePlanning(world, options);
  const { before, contents } = options;
  try {
    const plan = await planning.plan();
    const stops = await planning.judge(plan).then(() => undefined, requireExpected);
    const tried = stops === undefined && world.dryRun !== "none";
    const writes = tried
      ? planning.listWrites(plan)
      : listChanges(plan).map((change) => ({ change }));
    return {
      ...(stops && { stops }),
      writes,
      questions: [],
      expects: {
        code: exitCodes.ok,
        reason: describeDryRun(writes.length),
        details: describeDetails(plan.steps, contents, world.names),
      },
      after: before === undefined ? projectWrites(writes) : projectBundle(before, writes),
      act: async (ports) => await new BundleAct(ports, { ...options, dryRun: "none" }, plan).act(),
    };
  } catch (error) {
    const after = before && projectAssumed(before, contents.operatorVersion, contents.definitions);
    return makeStopped(error, after);
  }
}

function placeContents(
  { bundle }: ReleaseContents,
  placing: Omit<Parameters<typeof placeBundle>[1], "live">,
): readonly DesiredObject[] {
  const placed = placeBundle(bundle, { ...placing, live: undefined });
  return placed.is === "placed" ? placed.objects : [];
}
