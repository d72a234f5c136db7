/** What the operator is told to manage (domain facts 6). */
import { factNamed } from "../facts";
import type { Names } from "../names";
import { rbacFindings } from "../rbac/codes";
import { at, list, own, text } from "../values";
import { type Check, checksOf, type Found, on } from "./check";
import { isTerminating, settingNeeds } from "./rbac-sites";
import { nameOf, type Situation } from "./situation";

const { shared, warning } = checksOf("rbac");
const source = "domain facts 6";
const podSpec = ["spec", "template", "spec"];

/** The checks of settings and of the namespaces that they name. */
export const rbacSettingChecks: readonly Check[] = [
  shared(rbacFindings.unknownConfiguration, {
    title: "The operator's setting can be read",
    needs: settingNeeds,
    judge: ({ configured, deployment }) =>
      configured.is === "unknown" && deployment !== undefined
        ? [on(deployment, configured.because)]
        : [],
  }),
  warning("RBAC-LIST-AND-LABEL", source, {
    title: "The operator is told its namespaces in one way",
    cause:
      "the operator is told its namespaces both as a list and by a label: the list alone counts",
    fix: "remove the one that is not meant",
    needs: settingNeeds,
    judge: (situation) => {
      const { namespaces, namespacesLabel } = situation.names.configMap;
      const both = [namespaces, namespacesLabel].every((key) => mapped(situation, key) !== "");
      const map = configMapOf(situation);
      return both && map !== undefined ? [on(map, "it has both settings")] : [];
    },
  }),
  warning("RBAC-SETTING-HIDDEN", source, {
    title: "The ConfigMap's settings are not hidden by the Deployment",
    cause: "an entry of the Deployment says something else than the ConfigMap, and wins",
    fix: "remove one of the two",
    needs: settingNeeds,
    judge: judgeHidden,
  }),
  warning("RBAC-SETTING-UNUSED", source, {
    title: "The operator takes its settings from the ConfigMap",
    cause: "the ConfigMap holds settings, and the Deployment does not take its environment from it",
    fix: "add the ConfigMap to envFrom of both containers again, as the bundle has it",
    needs: settingNeeds,
    judge: judgeUnused,
  }),
  shared(rbacFindings.namespaceAbsent, {
    title: "Every managed namespace exists",
    needs: settingNeeds,
    judge: ({ facts, managed }) =>
      managed
        .filter((name) => factNamed(facts, "namespaces", { name }) === undefined)
        .map((name) => ({
          object: `Namespace/${name}`,
          cause: "it is managed and does not exist",
        })),
  }),
  shared(rbacFindings.namespaceTerminating, {
    title: "No managed namespace is being deleted",
    needs: settingNeeds,
    judge: ({ facts, managed }) =>
      facts.objects.namespaces
        .filter((namespace) => managed.includes(nameOf(namespace)))
        .filter(isTerminating)
        .map((namespace) => on(namespace, "it is managed and being deleted")),
  }),
  shared(rbacFindings.labelValue, {
    title: "The label of managed namespaces has no value where none is asked for",
    needs: settingNeeds,
    judge: ({ configured, facts, managed }) => {
      const key = configured.is === "label" ? configured.bareKey : undefined;
      if (key === undefined) return [];
      return facts.objects.namespaces
        .filter((namespace) => managed.includes(nameOf(namespace)))
        .filter(({ metadata }) => own(metadata.labels, key) !== "")
        .map((namespace) =>
          on(namespace, `${key} has a value`, { field: `metadata.labels.${key}` }),
        );
    },
  }),
  warning("RBAC-LABEL-NONE", source, {
    title: "The label selects a namespace",
    cause: "the operator finds its namespaces by a label that no namespace has",
    fix: "label the namespaces, or correct the label",
    needs: settingNeeds,
    judge: ({ configured, managed }) =>
      configured.is === "label" && managed.length === 0
        ? [{ cause: `no namespace has ${configured.selector}` }]
        : [],
  }),
];

function configMapOf({ facts, names }: Situation) {
  return factNamed(facts, "configMaps", { name: names.configMap.name });
}

function mapped(situation: Situation, key: string): string {
  return text(at(configMapOf(situation), ["data", key]))?.trim() ?? "";
}

function containersOf({ deployment }: Situation): readonly unknown[] {
  return list(at(deployment, [...podSpec, "containers"]));
}

function settings({ configMap }: Names): readonly string[] {
  return [configMap.namespaces, configMap.namespacesLabel];
}

function judgeHidden(situation: Situation): readonly Found[] {
  const { deployment, names } = situation;
  const entries = containersOf(situation)
    .filter((container) => own(container, "name") === names.operator.container)
    .flatMap((container) => list(own(container, "env")));
  return settings(names).flatMap((key) => {
    const entry = entries.find((one) => own(one, "name") === key);
    const [said, hidden] = [text(own(entry, "value")) ?? "", mapped(situation, key)];
    const differs = own(entry, "valueFrom") === undefined && hidden !== "" && said !== hidden;
    if (deployment === undefined || entry === undefined || !differs) return [];
    return [on(deployment, `its entry ${key} hides that of the ConfigMap`, { field: key })];
  });
}

function judgeUnused(situation: Situation): readonly Found[] {
  const { deployment, names } = situation;
  const set = settings(names).some((key) => mapped(situation, key) !== "");
  const [container] = containersOf(situation).filter(
    (one) => own(one, "name") === names.operator.container,
  );
  const sources = [...list(own(container, "envFrom")), ...list(own(container, "env"))];
  const used = sources.some(
    (one) =>
      at(one, ["configMapRef", "name"]) === names.configMap.name ||
      at(one, ["valueFrom", "configMapKeyRef", "name"]) === names.configMap.name,
  );
  if (deployment === undefined || !set || used) return [];
  return [on(deployment, `${names.operator.container} does not read ${names.configMap.name}`)];
}
