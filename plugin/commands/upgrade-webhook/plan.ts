/** From what was found to what is to be written: the state table of upgrade-webhook, pure. */
import { accept } from "../../domain/checks/selection";
import { type Skip, skipWord } from "../../domain/base/skip";
import { webhookFinding, webhookFindings } from "../../domain/admission/findings";
import type { Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { leftovers, type Names } from "../../domain/names/names";
import type {
  MutatingWebhookConfiguration,
  Namespace,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../domain/kube/models";
import { objectLabel } from "../../domain/kube/objects";
import {
  readCaBundle,
  callsSame,
  compareTrust,
  listCandidates,
  entriesInForce,
  listEntries,
  findEntry,
  listLost,
  namesakesIn,
  purposesBeside,
  renderReached,
  readServiceName,
  readServiceNamespace,
  fieldOf,
  nameField,
} from "../../domain/admission/configuration";
import { listDifferences, buildConfiguration } from "../../domain/admission/wanted";
import { describeConsequence, listPolicies } from "../../domain/admission/consequence";
import { judgeHeld } from "../../domain/admission/held";
import { caWay, lacksOnlyCa } from "../../domain/admission/owned";
import { deletionOf, isLeftWhole, lookAt, judgeOthers } from "../../domain/admission/others";
import { judgeInjection } from "../../domain/admission/injector";
import {
  isAtWork,
  findOwner,
  judgeOwnership,
  type LeftMarks,
  type Owner,
} from "../../domain/kube/owners";
import { keptFinding } from "./kept";
import { planTrial, type Trial } from "./trial";
import { releasePairs } from "../../domain/release/platforms";
import { compareReleaseTags, parseReleaseTag } from "../../domain/base/versions";

/** Which of the two configurations were found. */
type FoundConfigurations = "none" | "only-old" | "both" | "only-new";

/** What the plan is made from. */
export interface PlanFacts {
  readonly namespace: string;
  readonly template: ValidatingWebhookConfiguration;
  /** All configurations of the cluster. */
  readonly configurations: readonly ValidatingWebhookConfiguration[];
  /** Base64, as in the Secret (S28). */
  readonly caBundle: string;
  /** What else the API server asks before it stores an object. */
  readonly mutatingConfigurations?: readonly MutatingWebhookConfiguration[];
  /** The certificate that is served, where its facts are known: an injector's CA is held to it. */
  readonly certificate?: Facts["certificate"];
  /** Namespaces that exist, among those that found entries serve. */
  readonly livingNamespaces: readonly string[];
  /** Names of the Services of the operator's namespace, where they are known. */
  readonly services?: readonly string[] | undefined;
  /** Services that others' entries call and that are not there, as `namespace/name`. */
  readonly goneServices?: ReadonlySet<string> | undefined;
  /** All namespaces with their labels, where they were read. */
  readonly namespaces?: readonly Namespace[] | undefined;
  /** The configurations whose owner is gone; absent: every mark counts. */
  readonly left?: LeftMarks | undefined;
  /** What a person accepts; absent: nothing. */
  readonly skip?: readonly Skip[];
  readonly takeTemplateSelectors: boolean;
  /** What the template does not guard may go unguarded, though the live entry guards it. */
  readonly takeTemplateRules: boolean;
  /** Release of the operator that runs, where the template is the one that the tool ships. */
  readonly shippedFor?: string | undefined;
  readonly names: Names;
}

/** An object that is to be written, why, and the numbers of the specification behind it. */
interface PlannedObject {
  readonly object: ValidatingWebhookConfiguration;
  readonly why: string;
  readonly source?: string;
}

/** The plan; `apply` and `remove` absent where no such write is needed. */
export interface SwapPlan {
  readonly found: FoundConfigurations;
  readonly live: ValidatingWebhookConfiguration | undefined;
  readonly old: ValidatingWebhookConfiguration | undefined;
  readonly wanted: ValidatingWebhookConfiguration;
  /** Paths of the live object that the apply changes; empty: nothing to apply. */
  readonly differences: readonly string[];
  readonly apply: PlannedObject | undefined;
  readonly remove: PlannedObject | undefined;
  /** What is written before `apply` until a refusal is seen; undefined where Fail may be written at once. */
  readonly trial?: Trial | undefined;
  /** The old entry in the new configuration: it goes like the old configuration, once the new one is proven. */
  readonly takeOut: PlannedObject | undefined;
  /** The old entries, in whichever configuration they are. */
  readonly oldEntries: readonly ValidatingWebhook[];
  /** Entries that people added for the same Service; they stay. */
  readonly further: readonly ValidatingWebhook[];
  /** Entries of our entry's name in further configurations: their refusals look like ours. */
  readonly namesakes: readonly ValidatingWebhook[];
  /** Nothing but the CA is written. */
  readonly isCaOnly?: true;
  /** Errors among these refuse the run: 3 for those of `blocking` in plan-now.ts, 5 for any other. */
  readonly findings: readonly Finding[];
}

/** Plans the swap for the configurations found. */
export function planSwap(all: PlanFacts): SwapPlan {
  const { names } = all;
  const callable = { ...all, living: all.livingNamespaces, counted: all.namespace };
  const judging = [...all.configurations, ...(all.mutatingConfigurations ?? [])];
  const gone = judgeOthers(judging, callable);
  const isGone = (one: ValidatingWebhookConfiguration): boolean =>
    isLeftWhole(one, names) && gone.some(({ object }) => object === objectLabel(one));
  // of what is to be deleted nothing else is told
  const facts = { ...all, configurations: all.configurations.filter((one) => !isGone(one)) };
  const byName = (name: string) =>
    facts.configurations.find((object) => object.metadata.name === name);
  const live = byName(names.webhook.configuration);
  const old = byName(names.webhook.oldConfiguration);
  const wanted = buildConfiguration({ ...facts, live, old });
  const differences = live === undefined ? [] : listDifferences(live, wanted.object);
  const apply = planApply({ live, differences, wanted: wanted.object }, names);
  const remove = old && { object: old, why: "replaced by the new configuration", source: "S25" };
  const around = entriesBeside({ live, old, wanted: wanted.object }, names);
  const keptFrom =
    live === undefined ? names.webhook.oldConfiguration : names.webhook.configuration;
  const beside = purposesBeside(facts.configurations, wanted.object, names);
  const own = findEntry(wanted.object, names.webhook.entry);
  const kept = wanted.kept.map((field) => keptFinding({ field, entry: own }, keptFrom, names));
  return {
    found: classifyFound(live, old),
    live,
    old,
    wanted: wanted.object,
    differences,
    apply,
    remove,
    ...around,
    trial: planTrial({ live, wanted: wanted.object, ...around }, names),
    namesakes: namesakesIn(facts.configurations, names),
    findings: [
      ...gone,
      ...judgeForeign(facts, live, old),
      ...judgeOwners(facts, {
        touched: [apply || around.takeOut ? live : undefined, old],
        beside,
        lacksCa: lacksOnlyCa({ live, wanted: wanted.object, differences }, names)
          ? live
          : undefined,
      }),
      ...judgeStrangers(old, names),
      ...judgeInjected(facts, live, wanted.object),
      ...judgeLosses(facts, live, wanted.object),
      ...([live, old, ...beside].every((one) => one === undefined) ? [nothingBefore(names)] : []),
      ...(live === undefined ? judgeShipped(facts.shippedFor, objectLabel(wanted.object)) : []),
      ...wanted.findings,
      ...kept,
    ],
  };
}

function classifyFound(
  live: ValidatingWebhookConfiguration | undefined,
  old: ValidatingWebhookConfiguration | undefined,
): FoundConfigurations {
  if (live === undefined) return old === undefined ? "none" : "only-old";
  return old === undefined ? "only-new" : "both";
}

/** The old entries, and those that people added for the same Service. */
function entriesBeside(
  { live, old, wanted }: Pick<SwapPlan, "live" | "old" | "wanted">,
  { webhook }: Names,
): Pick<SwapPlan, "takeOut" | "oldEntries" | "further"> {
  const own = findEntry(wanted, webhook.entry);
  const oldEntry = findEntry(live, webhook.oldEntry);
  const further = listEntries(wanted).filter(
    (entry) => entry !== own && entry.name !== webhook.oldEntry && callsSame(entry, own),
  );
  if (live === undefined || oldEntry === undefined) {
    return { takeOut: undefined, oldEntries: listEntries(old), further };
  }
  const takeOut = { object: live, why: `replaced by ${webhook.entry}`, source: "S25" };
  return { takeOut, oldEntries: [...listEntries(old), oldEntry], further };
}

function planApply(
  { live, differences, wanted }: Pick<SwapPlan, "live" | "differences" | "wanted">,
  names: Names,
): SwapPlan["apply"] {
  if (live === undefined) {
    return { object: wanted, why: "it does not exist", source: "S26, S29, S30" };
  }
  if (differences.length === 0) return undefined;
  const tokens = leftovers(listEntries(live), names);
  const entry = findEntry(live, names.webhook.entry);
  const reasons = [
    ...tokens.map((token) => `the placeholder ${token} is left in it`),
    ...(entry !== undefined && readCaBundle(entry) === "" ? ["its caBundle is empty"] : []),
    `differs at ${differences.join(", ")}`,
  ];
  return { object: wanted, why: reasons.join("; ") };
}

function judgeForeign(
  facts: PlanFacts,
  live: ValidatingWebhookConfiguration | undefined,
  old: ValidatingWebhookConfiguration | undefined,
): readonly Finding[] {
  const { entry, oldEntry } = facts.names.webhook;
  const service = readServiceName(findEntry(facts.template, entry));
  // what a person added to the new configuration for another Service is not touched
  const isMeant = (one: ValidatingWebhook): boolean =>
    [entry, oldEntry].some((name) => name === one.name) || readServiceName(one) === service;
  return [live, old].flatMap((object) => {
    if (object === undefined) return [];
    const [elsewhere] = listEntries(object)
      .filter((one) => object === old || isMeant(one))
      .filter((one) => ![undefined, facts.namespace].includes(readServiceNamespace(one)));
    const served = readServiceNamespace(elsewhere);
    if (served === undefined || !facts.livingNamespaces.includes(served)) return [];
    const consequence =
      object === live
        ? `every database in its scope would be checked by the webhook in ${facts.namespace} instead of the one in ${served}`
        : `the databases that ${served} validates would lose that check`;
    const label = objectLabel(object);
    const finding = webhookFinding("otherNamespace", {
      object: label,
      field: `${fieldOf(elsewhere)}.clientConfig.service.namespace`,
      cause: `it serves namespace ${served}, which exists: ${consequence}`,
      fix: `run with -n ${served} to upgrade that one, or accept it with --skip ${skipWord({ code: webhookFindings.otherNamespace.code, object: label })} to move it to ${facts.namespace}`,
    });
    return accept([finding], facts.skip);
  });
}

function judgeOwners(
  facts: PlanFacts,
  found: {
    readonly touched: readonly (ValidatingWebhookConfiguration | undefined)[];
    readonly beside: readonly ValidatingWebhookConfiguration[];
    /** Its CA may be written by itself. */
    readonly lacksCa: ValidatingWebhookConfiguration | undefined;
  },
): readonly Finding[] {
  const { configurations, names, left } = facts;
  const known = [names.webhook.configuration, names.webhook.oldConfiguration];
  const concerned = new Set([...listCandidates(configurations, names), ...found.beside]);
  return [...concerned].flatMap((object) => {
    const owner = findOwner(object, left);
    const mine = found.touched.includes(object);
    if (owner === undefined || (owner.left !== undefined && !mine)) {
      return known.includes(object.metadata.name ?? "") ? [] : [otherConfiguration(object, facts)];
    }
    const lacksCa = isAtWork(owner) && object === found.lacksCa;
    const fix = lacksCa ? caWay : {};
    const told = mine ? judgeTouched(owner) : judgeBystander(owner, found.beside.includes(object));
    return [webhookFinding("owned", { object: objectLabel(object), ...told, ...fix })];
  });
}

function judgeTouched(owner: Owner): ReturnType<typeof judgeOwnership> {
  const cause = `${owner.name} owns it and would undo or fight the change`;
  return { ...judgeOwnership(owner), ...(isAtWork(owner) && { cause }) };
}

/** Of an owner whose configuration is not written. */
function judgeBystander({ name, way }: Owner, calls: boolean): ReturnType<typeof judgeOwnership> {
  const twice =
    "it calls the same webhook for the same kinds: a second configuration would check every edit twice";
  return calls
    ? { severity: "error", cause: `${name} owns it, and ${twice}`, fix: way }
    : { severity: "warning", cause: `${name} owns it; this run does not touch it`, fix: way };
}

function otherConfiguration(object: ValidatingWebhookConfiguration, facts: PlanFacts): Finding {
  const { names, namespace, certificate } = facts;
  const service = { namespace, name: names.webhook.service };
  const failing = entriesInForce(object, service, names)
    .map(({ entry }) => entry)
    .filter(
      (entry) =>
        leftovers(entry, names).length > 0 ||
        (readServiceNamespace(entry) === namespace && compareTrust(entry, certificate) !== "fit"),
    );
  const label = objectLabel(object);
  if (failing.length > 0) {
    const consequence = describeConsequence(listPolicies(failing));
    const cause = `it carries the same entry, and no call by it is answered: ${consequence}`;
    return webhookFinding("otherConfiguration", {
      ...{ object: label, cause, remedies: [deletionOf(object, facts.left)] },
    });
  }
  return webhookFinding("otherConfiguration", {
    object: label,
    remedies: [lookAt("look at it", object)],
  });
}

/** The old configuration holds entries that are not the product's: deleting it would lose them. */
function judgeStrangers(
  old: ValidatingWebhookConfiguration | undefined,
  names: Names,
): readonly Finding[] {
  const ours = [names.webhook.oldEntry, names.webhook.entry];
  const strangers = listEntries(old)
    .map(({ name }) => String(name))
    .filter((name) => !ours.includes(name));
  if (old === undefined || strangers.length === 0) return [];
  return [
    webhookFinding("oldHasOthers", {
      object: objectLabel(old),
      field: "webhooks",
      cause: `it also holds entries that are not the operator's: ${strangers.join(", ")}`,
    }),
  ];
}

function judgeInjected(
  { names, certificate }: PlanFacts,
  live: ValidatingWebhookConfiguration | undefined,
  wanted: ValidatingWebhookConfiguration,
): readonly Finding[] {
  const own = findEntry(wanted, names.webhook.entry);
  const service = {
    namespace: String(readServiceNamespace(own)),
    name: String(readServiceName(own)),
  };
  const entries = live === undefined ? [] : entriesInForce(live, service, names);
  return judgeInjection(live, entries, certificate);
}

/** A template older than the cluster: the old configuration does not count, its operations are `*`. */
function judgeLosses(
  { names, takeTemplateRules, left, template }: PlanFacts,
  live: ValidatingWebhookConfiguration | undefined,
  wanted: ValidatingWebhookConfiguration,
): readonly Finding[] {
  const { entry: name } = names.webhook;
  const entry = findEntry(live, name);
  const lost = renderReached(listLost(entry, findEntry(wanted, name)));
  if (live === undefined || entry === undefined || lost.length === 0) return [];
  const about = {
    object: objectLabel(wanted),
    field: `${nameField(name)}.rules`,
    cause: `the template does not guard what the live entry guards: ${lost.join(", ")}`,
  };
  if (takeTemplateRules) return [webhookFinding("losesRules", { ...about, severity: "warning" })];
  const fix =
    "give the template of the operator's release with --release SOURCE, or drop these with --take-template-rules";
  const held = { configuration: live, entry, field: nameField(name) };
  return [
    webhookFinding("losesRules", { ...about, fix }),
    ...judgeHeld(held, template, { names, left }),
  ];
}

function nothingBefore(names: Names): Finding {
  return webhookFinding("absent", {
    object: `ValidatingWebhookConfiguration/${names.webhook.configuration}`,
    cause: "neither the new nor the old configuration exists: nothing was validated until now",
    fix: "review the databases that were edited in the meantime: nothing checked those edits",
  });
}

const known = releasePairs.map(([tag]) => tag);

/** A warning for an operator of a later release than any that this tool knows. */
export function judgeShipped(operator: string | undefined, object: string): readonly Finding[] {
  if (operator === undefined) return [];
  const runs = parseReleaseTag(operator);
  const releases = known.map((tag) => parseReleaseTag(tag)).filter((one) => one !== undefined);
  if (runs === undefined || releases.some((one) => compareReleaseTags(runs, one) <= 0)) return [];
  return [
    webhookFinding("templateOlder", {
      object,
      cause: `the operator is of ${operator}, and the template that the tool ships is known up to ${known.slice(-1).join("")}: what a later webhook guards in addition is not in it`,
    }),
  ];
}
