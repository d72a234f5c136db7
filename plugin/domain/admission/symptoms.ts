/** What may be wrong with the webhook, in causal order: the first that is found explains those after it (S24-S30; domain facts 4). */
import {
  absentSecret,
  certificateChecks,
  judgeCertificate,
  secretAbsent,
} from "../certificate/certificate";
import { distinct } from "../base/findings";
import { look, type Remedy } from "../base/remedy";
import { oncePer } from "../base/values";
import { diagnose } from "../diagnosis/diagnose";
import type { Found, Scene, Symptom } from "../diagnosis/symptom";
import { factNamed, type FactKey, type Facts, factSources } from "../facts/facts";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookConfiguration,
} from "../kube/models";
import { objectLabel, readName } from "../kube/objects";
import { judgeEviction, judgeMesh } from "./beside-pods";
import {
  compareTrust,
  entriesInForce,
  type EntryInForce,
  entryNames,
  findEntry,
  findSource,
  hasOlmPair,
  isOlmServed,
  isOthers,
  listCandidates,
  matchesResource,
  namesakesIn,
  readServiceName,
  readServiceNamespace,
  type Trust,
} from "./configuration";
import { describeConsequence, listPolicies } from "./consequence";
import { describeEdits, findUnguarded, isCalledFor } from "./coverage";
import { webhookFinding, webhookFindings } from "./findings";
import { judgeHeld, judgeShort } from "./held";
import { findInjector, judgeInjection } from "./injector";
import { judgeOthers, listJudging, readCallable } from "./others";
import { fixByOwner, fixCaByOwner } from "./owned";
import { probedCodes } from "./faults";
import { underProbe } from "./observed";
import type { ProbeOutcome } from "./probe-outcome";
import { hindranceFinding } from "./refusers";
import { type GuardedScene, judgeUnguarded } from "./unguarded";
import {
  findIdleSelector,
  fixByGroup,
  isProvable,
  isUnshared,
  describeAmbiguous,
  reportIdle,
  describeNoKind,
} from "./selected";
import {
  deletionOfOthers,
  judgePlannedWay,
  judgeWays,
  readCalled,
  type Way,
  wayFacts,
} from "./way";

/** What the webhook is judged over. */
export interface WebhookScene extends Scene {
  /** What the entry is held to; absent: what the bundle has. */
  readonly target?: { readonly webhook?: ValidatingWebhookConfiguration };
  /** What the twins showed, where they were sent. */
  readonly probe?: ProbeOutcome | undefined;
}

/** What is about to be written. */
export interface PlannedScene extends Scene {
  readonly template: ValidatingWebhookConfiguration;
}

type Code = keyof typeof webhookFindings;

/** The configurations that are meant: by name or by entry. */
export function listConfigurations({
  facts: { objects, names },
}: Scene): readonly ValidatingWebhookConfiguration[] {
  return listCandidates(objects.webhookConfigurations, names);
}

/** The configuration of the name of today. */
export function findCurrent({ facts }: Scene): ValidatingWebhookConfiguration | undefined {
  const { configuration: name } = facts.names.webhook;
  return factNamed(facts, "webhookConfigurations", { name });
}

/** Every entry of the product's, old and new, and what people added for its Service. */
export function listInForce(scene: Scene): readonly EntryInForce[] {
  return listConfigurations(scene).flatMap((one) => inForceOf(one, scene.facts));
}

function inForceOf(
  configuration: WebhookConfiguration,
  { names, namespace }: Facts,
): readonly EntryInForce[] {
  return entriesInForce(configuration, { namespace, name: names.webhook.service }, names);
}

/** The ways of the entries in force. */
export const listWays = oncePer((scene: WebhookScene): readonly Way[] => {
  const { facts, target } = scene;
  const wanted = readCalled(target?.webhook, facts.names);
  return judgeWays(listConfigurations(scene), wayFacts(facts), wanted);
});

const configurations: readonly FactKey[] = ["webhookConfigurations"];
const server: readonly FactKey[] = ["services", "endpointSlices"];
const behind: readonly FactKey[] = ["pods"];

/** Rows of the way, each of one code. */
const rowsOfWays =
  <S extends Scene>(waysOf: (scene: S) => readonly Way[], before: readonly FactKey[]) =>
  (
    what: Code,
    title: string,
    { needs, ...rest }: Pick<Symptom<S>, "needs" | "may" | "forbids">,
  ): Symptom<S> => ({
    ...webhookFindings[what],
    title,
    needs: [...before, ...needs],
    ...rest,
    judge: (scene) =>
      distinct(
        waysOf(scene).flatMap(({ findings, doubts = [] }) => [...findings, ...doubts]),
      ).filter(({ code }) => code === webhookFindings[what].code),
  });

/** From the Service to the container: no write of an entry mends it, so that none may be made. */
function serverRows<S extends Scene>(row: ReturnType<typeof rowsOfWays<S>>) {
  const forbids = ["upgrade-webhook"] as const;
  const onService = { needs: ["services"], forbids } as const;
  const onPods = { needs: server, may: behind, forbids };
  const onPolicies = { ...onPods, may: [...behind, "networkPolicies"] as const };
  return {
    serviceMissing: row("serviceMissing", "The Service that the webhook calls exists", onService),
    servicePort: row("servicePort", "The Service has the port that the webhook calls", onService),
    selectsNothing: row("selectsNothing", "The selector of the Service finds pods", onPods),
    noPods: row("noPods", "What the Service selects has pods", {
      ...onPods,
      may: [...behind, "deployments"],
    }),
    podsNotReady: row("podsNotReady", "A pod behind the Service is ready", onPods),
    publishesUnready: row(
      "publishesUnready",
      "The Service publishes the address of a ready pod",
      onPods,
    ),
    noEndpoints: row("noEndpoints", "The Service that the webhook calls has a ready endpoint", {
      needs: server,
      forbids,
    }),
    strangerPod: row("strangerPod", "The Service selects only the webhook's pods", onPods),
    targetPort: row(
      "targetPort",
      "The Service sends to the port on which the webhook listens",
      onPods,
    ),
    networkClosed: row("networkClosed", "No NetworkPolicy closes the webhook's port", onPolicies),
  };
}

/** The same of what is to be written, whatever is in force. */
export const plannedServerList: readonly Symptom<PlannedScene>[] = Object.values(
  serverRows(
    rowsOfWays(
      // what may be broken forbids nothing: the probe decides
      oncePer((scene: PlannedScene) => [{ ...judgePlannedWay(scene), doubts: [] }]),
      [],
    ),
  ),
);

const rowOfWay = rowsOfWays(listWays, configurations);

const fromOthers = (
  what: "leftover" | "selectsNoNamespace",
  title: string,
): Symptom<WebhookScene> => ({
  ...webhookFindings[what],
  title,
  needs: [...configurations, "namespaces"],
  may: ["mutatingConfigurations"],
  judge: ({ facts }) =>
    judgeOthers(listJudging(facts), readCallable(facts)).filter(
      ({ code }) => code === webhookFindings[what].code,
    ),
});

/** What keeps API servers from verifying the webhook by an entry's CA. */
const distrusts: Readonly<Record<Exclude<Trust, "fit">, string>> = {
  empty: "its caBundle is empty",
  "encoded-twice": "its caBundle is base64 of base64",
  "no-pem": "its caBundle holds no certificate",
  stale: "its caBundle holds neither the certificate of the Secret nor a valid CA that issued it",
};

/** The entries whose CA does not verify the webhook. */
export function judgeTrust(scene: Scene): readonly Found[] {
  const { facts } = scene;
  return (
    listInForce(scene)
      // WEBHOOK-CA-INJECTED covers what an injector writes; OLM serves with a pair of its own
      .filter(({ configuration }) => findInjector(configuration) === undefined)
      .filter(({ configuration }) => !hasOlmPair(configuration, facts))
      // of others only those that call this namespace have to trust its certificate,
      // and a call of what is not there is WEBHOOK-LEFTOVER, whatever it trusts
      .filter(
        ({ configuration, entry }) =>
          !isOthers(configuration, facts.names) ||
          (readServiceNamespace(entry) === facts.namespace && !callsNothing(entry, facts)),
      )
      .flatMap(({ configuration, entry, field }) => {
        // what another operator serves is not known here
        const isElsewhere = ![facts.namespace, undefined].includes(readServiceNamespace(entry));
        const trust = compareTrust(entry, isElsewhere ? undefined : facts.certificate);
        if (trust === "fit") return [];
        const consequence = describeConsequence(listPolicies([entry]));
        const about = {
          object: objectLabel(configuration),
          field: `${field}.clientConfig.caBundle`,
          cause: `${distrusts[trust]}: ${consequence}`,
          ...deletionOfOthers({ configuration }, facts),
          ...fixCaByOwner(configuration, facts),
        };
        return webhookFinding("staleCa", about);
      })
  );
}

/** True for an entry whose Service was looked for, and is not there. */
function callsNothing(entry: ValidatingWebhook, facts: Facts): boolean {
  const { namespace, unread } = facts;
  const name = String(readServiceName(entry));
  return !unread.has("services") && factNamed(facts, "services", { name, namespace }) === undefined;
}

/** What is edited without a call of the webhook: a warning where it is a part, an error where it is everything. */
function judgeCoverage(scene: WebhookScene): readonly Found[] {
  const { facts, target } = scene;
  const [first, ...others] = listInForce(scene);
  // of the old configuration alone its own row tells
  if (first === undefined || findCurrent(scene) === undefined) return [];
  const entries = [first, ...others].map(({ entry }) => entry);
  const template = findEntry(target?.webhook, facts.names.webhook.entry);
  const { edits, all } = findUnguarded(entries, template, facts);
  if (edits.length === 0) return [];
  // rules that would be for it, if versions did not count
  const isExact = edits.some((edit) =>
    entries.some((one) => isCalledFor({ ...one, matchPolicy: "Equivalent" }, edit, facts)),
  );
  const versions = isExact ? " (matchPolicy Exact: edits in versions that no rule names pass)" : "";
  const what = describeEdits(edits, facts);
  const cause = all ? `nothing is validated: no rule is for ${what}` : `not validated: ${what}`;
  const about = {
    object: objectLabel(first.configuration),
    field: `${first.field}.rules`,
    cause: `${cause}${versions}`,
    // the template of the release has the same policy
    ...(isExact && { remedies: [widen(first.configuration)] }),
    ...fixByOwner(first.configuration, facts),
  };
  return [{ ...about, ...(all && { severity: "error" }) }];
}

function widen(configuration: WebhookConfiguration): Remedy {
  return look(
    "set matchPolicy of the entry to Equivalent, or name every version that is served in its rules",
    ...["get", "validatingwebhookconfiguration", readName(configuration), "-o", "yaml"],
  );
}

/** An error where nothing that can be edited meets an entry of the product's, of those a swap keeps the selectors of. */
function judgeIdle(scene: Scene): readonly Found[] {
  const { facts } = scene;
  const { names, namespace, objects } = facts;
  // a list without the operator's namespace is not that of its cluster
  if (factNamed(facts, "namespaces", { name: namespace }) === undefined) return [];
  const { entry: current, oldConfiguration: name, oldEntry } = names.webhook;
  const old = factNamed(facts, "webhookConfigurations", { name });
  const source = findSource({ live: findCurrent(scene), old }, names);
  const ours = listInForce(scene).filter(({ entry }) =>
    [current, oldEntry].some((one) => one === entry.name),
  );
  const judged = source?.entry === undefined ? ours : [source];
  const idle = judged.flatMap((one) => {
    const selector = findIdleSelector(one.entry, objects.namespaces);
    if (selector === undefined) return [];
    const byGroup = selector === "namespaceSelector" ? fixByGroup(one, namespace, facts) : {};
    const { remedies } = { ...fixByOwner(one.configuration, facts), ...byGroup };
    return [reportIdle(one, selector, remedies)];
  });
  return idle.length < judged.length ? [] : idle;
}

/** S24: nothing is asked of an admission controller that is not there. */
function isInUse(scene: Scene): boolean {
  const { facts } = scene;
  const { service: name } = facts.names.webhook;
  return (
    listConfigurations(scene).length > 0 || factNamed(facts, "services", { name }) !== undefined
  );
}

/** The Secret is no part of what OLM serves by a pair of its own. */
function isOfOlm({ facts }: Scene): boolean {
  return isOlmServed(facts.objects.webhookConfigurations, facts);
}

const secretMissing: Symptom = {
  ...secretAbsent,
  title: "The webhook's Secret exists where a webhook is in use",
  needs: ["webhookSecrets", "webhookConfigurations", "services"],
  judge: (scene) => {
    const { names, namespace, objects } = scene.facts;
    if (objects.webhookSecrets.length > 0 || !isInUse(scene) || isOfOlm(scene)) return [];
    return [absentSecret(namespace, names)];
  },
};

/** Every row of the certificate takes its own from them. */
const certificateFindings = oncePer(({ certificate, names, namespace, now }: Facts) =>
  certificate === undefined ? [] : judgeCertificate(certificate, { namespace, now, names }),
);

/** The rows of the certificate: each of one code. */
const certificateRows: readonly Symptom[] = certificateChecks.map(
  ({ code, severity, cause, fix, source, title }) => ({
    ...{ code, severity, cause, fix, source, title },
    needs: ["webhookSecrets"],
    judge: (scene) =>
      isOfOlm(scene) ? [] : certificateFindings(scene.facts).filter((one) => one.code === code),
  }),
);

/** What is wrong, whatever the webhook itself does. */
const around = {
  absent: {
    ...webhookFindings.absent,
    title: "An admission webhook validates databases",
    needs: configurations,
    judge: (scene) =>
      listConfigurations(scene).length === 0
        ? [
            {
              object: `ValidatingWebhookConfiguration/${scene.facts.names.webhook.configuration}`,
              cause: "neither the new nor the old configuration exists: nothing is validated",
            },
          ]
        : [],
  },
  leftover: fromOthers("leftover", "No configuration of others refuses every edit"),
  selectsNoNamespace: fromOthers(
    "selectsNoNamespace",
    "Configurations of others select a namespace",
  ),
  injectedOther: {
    ...webhookFindings.injectedOther,
    title: "No injector writes another CA into the webhook entry",
    needs: [...configurations, "webhookSecrets"],
    judge: (scene) =>
      listConfigurations(scene).flatMap((one) =>
        judgeInjection(one, inForceOf(one, scene.facts), scene.facts.certificate),
      ),
  },
} as const satisfies Readonly<Record<string, Symptom<WebhookScene>>>;

/** What a write of the entry mends: it comes after what it cannot mend. */
const entries = {
  entryAbsent: {
    ...webhookFindings.entryAbsent,
    title: "The configuration has its entry",
    needs: configurations,
    judge: (scene) => {
      const current = findCurrent(scene);
      const { entry } = scene.facts.names.webhook;
      if (current === undefined || findEntry(current, entry) !== undefined) return [];
      const held = entryNames(current).join(", ");
      const cause = `it has no entry ${entry}, it has: ${held === "" ? "none" : held}`;
      const about = { object: objectLabel(current), cause, ...fixByOwner(current, scene.facts) };
      return [webhookFinding("entryAbsent", about)];
    },
  },
  rulesBehind: {
    ...webhookFindings.rulesBehind,
    title: "The rules match every edit that the template guards",
    needs: configurations,
    // without them only the version of the release is looked for
    may: ["definitions"],
    judge: judgeCoverage,
  },
  idle: {
    ...webhookFindings.probeNoMatch,
    title: "The selectors of the entry select something",
    needs: [...configurations, "namespaces"],
    judge: judgeIdle,
  },
  placeholder: rowOfWay("placeholder", "No placeholder was left in the configuration", {
    needs: [],
  }),
  namespaceGone: rowOfWay("namespaceGone", "The configuration calls a namespace that exists", {
    needs: ["namespaces"],
  }),
  callsOther: rowOfWay("callsOther", "The entry calls what is there", { needs: ["services"] }),
  staleCa: {
    ...webhookFindings.staleCa,
    title: "The webhook entry trusts the certificate of the Secret",
    needs: configurations,
    // only the last of the four causes is seen by the Secret
    may: ["webhookSecrets"],
    judge: judgeTrust,
  },
} as const satisfies Readonly<Record<string, Symptom<WebhookScene>>>;

/** What is a warning whatever is found: no verdict on the webhook comes from it. */
const beside = {
  holdsMore: {
    ...webhookFindings.holdsMore,
    title: "The webhook is called for no operation that the template does not guard",
    needs: configurations,
    // the old entries are for every operation, and their own check has them deleted
    judge: (scene) =>
      listInForce(scene)
        .filter(
          ({ configuration, entry }) =>
            configuration.metadata.name !== scene.facts.names.webhook.oldConfiguration &&
            entry.name !== scene.facts.names.webhook.oldEntry,
        )
        .flatMap((one) => judgeHeld(one, scene.target?.webhook, scene.facts)),
  },
  timeoutShort: {
    ...webhookFindings.timeoutShort,
    title: "The time limit of the entry leaves room for a second call",
    needs: configurations,
    judge: (scene) => listInForce(scene).flatMap((one) => judgeShort(one, scene.facts)),
  },
  evictionHeld: {
    ...webhookFindings.evictionHeld,
    title: "A pod of the webhook can be evicted",
    needs: [...configurations, "services", "pods", "disruptionBudgets"],
    judge: (scene) => judgeEviction(listInForce(scene), scene.facts),
  },
  mesh: {
    ...webhookFindings.mesh,
    title: "No proxy of a mesh takes the webhook's calls",
    needs: [...configurations, "services", "pods"],
    // what was seen to answer, no mesh refuses
    judge: (scene) =>
      scene.probe?.is === "proven" ? [] : judgeMesh(listInForce(scene), scene.facts),
  },
  unguarded: {
    ...webhookFindings.selectorMisses,
    title: "The webhook checks the databases of every managed namespace",
    needs: configurations,
    may: ["namespaces", "edbs", "eaadbs", "deployments", "configMaps"],
    judge: (scene) => judgeUnguarded(listInForce(scene), scene),
  },
} as const satisfies Readonly<Record<string, Symptom<WebhookScene & GuardedScene>>>;

/** The entry that a swap keeps the selectors of. */
function findKept(scene: Scene): ValidatingWebhook | undefined {
  const { names } = scene.facts;
  const { oldConfiguration: name } = names.webhook;
  const old = factNamed(scene.facts, "webhookConfigurations", { name });
  return findSource({ live: findCurrent(scene), old }, names)?.entry;
}

/** The kinds whose edits prove a webhook. */
const probedKeys = ["edbs", "eaadbs", "ercs"] as const satisfies readonly FactKey[];

/** What keeps a proof from being made, however well the webhook is: it stands against a swap alone. */
export const probeSymptoms = {
  ambiguous: {
    ...webhookFindings.probeAmbiguous,
    severity: "warning",
    title: "An edit meets the webhook's entry alone",
    needs: [...configurations, "namespaces"],
    forbids: ["upgrade-webhook"],
    judge: (scene) => {
      const { names, objects } = scene.facts;
      const entry = findKept(scene);
      const fit = objects.namespaces.filter((one) => isProvable(entry, one));
      const namesakes = namesakesIn(objects.webhookConfigurations, names);
      const isAlone = fit.length === 0 || fit.some((one) => isUnshared(entry, namesakes, one));
      return entry === undefined || isAlone ? [] : [describeAmbiguous(names)];
    },
  },
  noKind: {
    ...webhookFindings.probeNoKind,
    severity: "warning",
    title: "A kind that the webhook's entry matches is served",
    needs: [...configurations, ...probedKeys],
    forbids: ["upgrade-webhook"],
    judge: (scene) => {
      const { names, unserved } = scene.facts;
      const { group, webhook } = names;
      const entry = findEntry(scene.target?.webhook, webhook.entry) ?? findKept(scene);
      const isSent = probedKeys
        .filter((key) => !unserved.has(key))
        .map((key) => factSources(names)[key].resource.plural)
        .some((plural) => matchesResource(entry, { group, plural, operation: "CREATE" }));
      return entry === undefined || isSent ? [] : [describeNoKind(names)];
    },
  },
} as const satisfies Readonly<Record<string, Symptom<WebhookScene>>>;

/** Each as it is to be told beside what the probe showed. */
const underProbes = <T extends Readonly<Record<string, Symptom<WebhookScene>>>>(
  rows: T,
): { readonly [Key in keyof T]: Symptom<WebhookScene> } =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, underProbe(row)] as const)) as {
    readonly [Key in keyof T]: Symptom<WebhookScene>;
  };

/** The rows from the Service to the container, of what is in force. */
export const serverList: readonly Symptom<WebhookScene>[] = Object.values(
  underProbes(serverRows(rowOfWay)),
);

/** The rows of the Secret, in their order. */
export const secretList: readonly Symptom<WebhookScene>[] = [secretMissing, ...certificateRows].map(
  (row) => underProbe<WebhookScene>(row),
);

/** Beside a verdict: what a part of the edits comes to. */
export const besideList: readonly Symptom<WebhookScene & GuardedScene>[] = [
  entries.rulesBehind,
  ...Object.values(beside),
];

const notOfEntry = underProbes(around);
const ofEntry = underProbes(entries);

/** What may explain a probe that failed: what no write of this tool mends comes before what one does. */
const explaining: readonly Symptom<WebhookScene>[] = [
  ...Object.values(notOfEntry),
  ...serverList,
  ...secretList,
  ...Object.values(ofEntry),
];

/** What was seen of the webhook and no other row explains: in the words of the answer, with where to look. */
const probed: Symptom<WebhookScene> = {
  ...webhookFindings.notAnswering,
  title: "A bad edit is refused, and a good one passes",
  needs: configurations,
  causes: probedCodes,
  judge: (scene) => {
    const { probe } = scene;
    if (probe?.is === "elsewhere") {
      return [{ ...hindranceFinding(probe.hindrance), severity: "warning" }];
    }
    if (probe?.is !== "failed" || probe.finding === undefined) return [];
    const { findings } = diagnose(explaining, scene);
    return findings.some(({ severity }) => severity === "error") ? [] : [probe.finding];
  },
};

/** The other rows. */
export const admissionSymptoms = { ...notOfEntry, ...ofEntry, ...beside, probed };

/** The list, in its order. */
export const admissionList: readonly Symptom<WebhookScene>[] = [...explaining, probed];
