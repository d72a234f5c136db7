/** The cluster as a swap leaves it. */
import type { PlannedChange } from "../../domain/kube/change";
import type { Names } from "../../domain/names/names";
import type { ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { ofKind } from "../../domain/kube/typed";
import {
  configurationResource,
  listEntries,
  matchesResource,
} from "../../domain/admission/configuration";
import { projectWrites, type Projection, unchanged } from "../../kernel/projection";
import type { SwapPlan } from "./plan";

/** What a swap comes to. */
interface PlannedSwap {
  readonly plan: SwapPlan;
  readonly writes: readonly PlannedChange[];
  /** Another server answers by then than today. */
  readonly isServerOpen: boolean;
}

/**
 * The new configuration in force, the old one gone. Dry runs of the kinds that they judge are answered otherwise
 * than today.
 */
export function projectSwap({ plan, writes, isServerOpen }: PlannedSwap, names: Names): Projection {
  if (writes.length === 0 && !isServerOpen) return unchanged;
  // to take the old entry out is the second write to the same object
  const left = projectWrites(writes.filter(({ change: { verb } }) => verb !== "rewrite"));
  const written = ofKind(left.stored, configurationResource.kind);
  const configurations = written.length > 0 ? written : [plan.live ?? []].flat();
  const stored =
    plan.takeOut === undefined
      ? configurations
      : configurations.map((one) => withoutEntry(one, names.webhook.oldEntry));
  return { ...left, stored, shades: listJudgedKinds(plan, names) };
}

function withoutEntry(
  configuration: ValidatingWebhookConfiguration,
  name: string,
): ValidatingWebhookConfiguration {
  const webhooks = listEntries(configuration).filter((entry) => entry.name !== name);
  return { ...configuration, webhooks };
}

/** The product's kinds of which an edit meets one of the entries, before or after. */
function listJudgedKinds({ wanted, oldEntries }: SwapPlan, names: Names): Projection["shades"] {
  const entries = [...listEntries(wanted), ...oldEntries];
  return [names.ec, names.edb, names.eaadb, names.erc].flatMap(({ plural, kind }) => {
    const { group } = names;
    const isJudged = ["CREATE", "UPDATE"].some((operation) =>
      entries.some((entry) => matchesResource(entry, { group, plural, operation })),
    );
    return isJudged ? [{ group, kind }] : [];
  });
}
