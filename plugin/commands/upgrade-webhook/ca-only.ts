/** A swap that writes nothing but the CA, for a configuration that somebody else owns (Facts 4.4). */
import { webhookFinding, webhookFindings } from "../../domain/admission/findings";
import {
  callsSame,
  findEntry,
  listEntries,
  readCaBundle,
  withCa,
} from "../../domain/admission/configuration";
import { listDifferences } from "../../domain/admission/wanted";
import { type Compared, isOfCa, listUnanswered } from "../../domain/admission/owned";
import type { Finding } from "../../domain/base/findings";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { objectLabel, readName } from "../../domain/kube/objects";
import {
  findLivingOwner,
  isAtWork,
  findOwner,
  judgeOwnership,
  type LeftMarks,
} from "../../domain/kube/owners";
import type { Names } from "../../domain/names/names";
import type { SwapPlan } from "./plan";

/** The plan without all that is not the CA: what else differs is told, and an error where no call is answered by it. */
export function limitToCa(plan: SwapPlan, names: Names, left?: LeftMarks): SwapPlan {
  const { live, old } = plan;
  const nothing = {
    ...{ old: undefined, remove: undefined, takeOut: undefined, oldEntries: [] },
    trial: undefined,
  };
  if (live === undefined) {
    const cause = "it does not exist: there is no CA of it to write";
    const object = objectLabel(plan.wanted);
    const findings = [webhookFinding("beyondCa", { object, cause })];
    return { ...plan, ...nothing, apply: undefined, findings };
  }
  const wanted: ValidatingWebhookConfiguration = { ...live, webhooks: withCaAlone(plan, names) };
  const differences = listDifferences(live, wanted);
  const findings = [
    ...plan.findings.filter(({ code }) => concerns.includes(code)),
    ...reportOwner(live, left),
    ...reportBeyond({ ...plan, live, old, left }, names),
  ];
  const why = `its CA is not that of Secret/${names.webhook.secret}; nothing else is written`;
  const apply = differences.length === 0 ? undefined : { object: wanted, why };
  return { ...plan, ...nothing, wanted, differences, apply, findings, isCaOnly: true };
}

/** What is said of the CA, or of configurations that refuse every edit whatever this one is like. */
const concerns: readonly string[] = [
  webhookFindings.injectedOther.code,
  webhookFindings.leftover.code,
  webhookFindings.otherConfiguration.code,
];

/** The live object; each entry that calls the product's Service has the CA that is wanted for it. */
function withCaAlone({ live, wanted }: Compared, names: Names): readonly ValidatingWebhook[] {
  const own = findEntry(wanted, names.webhook.entry);
  return listEntries(live).map((entry) => {
    const meant = findEntry(wanted, String(entry.name));
    return callsSame(entry, own) ? withCa(entry, readCaBundle(meant)) : entry;
  });
}

/** The entries of an apply that owns nothing but the CA. */
export function listCas({
  live,
  wanted,
}: Pick<SwapPlan, "live" | "wanted">): readonly ValidatingWebhook[] {
  return listEntries(wanted).flatMap((entry) => {
    const { name } = entry;
    const found = listEntries(live).find((one) => one.name === name);
    const caBundle = readCaBundle(entry);
    return readCaBundle(found) === caBundle ? [] : [{ name, clientConfig: { caBundle } }];
  });
}

function reportOwner(
  live: ValidatingWebhookConfiguration,
  left: LeftMarks | undefined,
): readonly Finding[] {
  const owner = findOwner(live, left);
  if (owner === undefined) return [];
  if (!isAtWork(owner)) {
    return [webhookFinding("owned", { object: objectLabel(live), ...judgeOwnership(owner) })];
  }
  return [
    webhookFinding("owned", {
      severity: "warning",
      object: objectLabel(live),
      cause: `${owner.name} owns it; this run writes nothing of it but the CA`,
      fix: `have ${owner.name} leave .webhooks[].clientConfig.caBundle out of what it writes; it would put its own back`,
    }),
  ];
}

function reportBeyond(
  plan: Compared & {
    readonly live: ValidatingWebhookConfiguration;
    readonly old: ValidatingWebhookConfiguration | undefined;
    readonly left: LeftMarks | undefined;
  },
  names: Names,
): readonly Finding[] {
  const object = objectLabel(plan.live);
  const way = findLivingOwner(plan.live, plan.left)?.way ?? "run upgrade-webhook without --ca-only";
  const unanswered = listUnanswered(plan, names);
  if (unanswered.length > 0) {
    const cause = `its CA is not all that keeps calls from being answered, it also differs at ${unanswered.join(", ")}`;
    return [webhookFinding("beyondCa", { object, cause, fix: way })];
  }
  const left = plan.differences.filter((field) => !isOfCa(field));
  const said = [
    ...(left.length === 0 ? [] : [`it differs at ${left.join(", ")}`]),
    ...(plan.old === undefined ? [] : [`${readName(plan.old)} is there beside it`]),
  ];
  if (said.length === 0) return [];
  const cause = `left as found: ${said.join("; ")}`;
  return [webhookFinding("beyondCa", { severity: "warning", object, cause, fix: way })];
}
