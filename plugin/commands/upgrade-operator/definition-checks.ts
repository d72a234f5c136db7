/** The definitions: there, served, of the operator's release, and converting through what exists (Facts 8). */
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { findLivingOwner } from "../../domain/kube/owners";
import { findServedPaths } from "../../domain/rules/clusters";
import { autoPaths } from "../../domain/engine-cluster/fields";
import { definitionNames } from "../../domain/facts/deletion";
import { type FactKey, factNamed, type Facts } from "../../domain/facts/facts";
import { type KubeObject, lastApplied, readName, readNamespace } from "../../domain/kube/objects";
import { operatorFindings } from "../../domain/operator/findings";
import { findConversionService, judgeConversion } from "../../domain/operator/conversion";
import { findOtherTypes, listTyped } from "../../domain/operator/field-types";
import { kinds } from "../../domain/names/names";
import { findFixedFields } from "../../domain/operator/fixed-fields";
import { readOperatorVersion } from "../../domain/operator/wanted";
import { findKeepsUnknown } from "../../domain/operator/definition-limits";
import { judgeChange, judgeDefinition, lossKeys, lostBetween, readCondition } from "./definitions";
import { asString, few, getOwn } from "../../domain/base/values";
import { type Check, makeChecks, on } from "../../domain/checks/check";
import { isBefore, type CheckContext } from "../../domain/checks/context";

const definitions = makeChecks("definitions");
/** Together, all annotations of an object. */
const annotationLimit = 262_144;
const nearLimit = 200_000;

/** A verdict that upgrade-operator comes to as well. */
const byRelease = (
  what: "definitionKept" | "definitionLoses" | "definitionRefuses" | "definitionStored",
  title: string,
  needs: readonly FactKey[] = [],
): Check =>
  definitions.shared(operatorFindings[what], {
    title,
    needs: ["definitions", "deployments", ...needs],
    wants: "contents",
    judge: (situation) => {
      const { facts, installed, names, wanted: goal } = situation;
      const goesUp =
        goal !== undefined && (installed === undefined || isBefore(installed, goal.tag));
      return pairs(situation)
        .flatMap((pair) => judgeChange(judgeDefinition({ ...pair, goesUp, names }), pair, facts))
        .filter(({ code }) => code === operatorFindings[what].code);
    },
  });

/** A chart upgrades the operator and leaves the definitions as they are: a run of upgrade-operator would be refused. */
const chartsWay =
  "a chart does not upgrade definitions: put this one of the release into a file, and apply it with: kubectl apply --server-side --force-conflicts --filename=FILE";

function isOfChart({ deployment, facts }: CheckContext): boolean {
  return deployment !== undefined && findLivingOwner(deployment, facts.left)?.chart === true;
}

/** The checks of the definitions. */
export const definitionChecks: readonly Check[] = [
  definitions.warning("DEFINITION-TYPES", "Facts 8", {
    title: "The definitions have the types that are read",
    cause:
      "a definition has a field in another type than this tool reads there: what rests on it may be judged as absent",
    fix: "check by hand what rests on the field, and report the release that has this definition",
    needs: ["definitions"],
    judge: ({ facts, names }) =>
      kinds.flatMap((kind) => {
        const name = `${names[kind].plural}.${names.group}`;
        const definition = factNamed(facts, "definitions", { name });
        if (definition === undefined) return [];
        return findOtherTypes(definition, listTyped(kind, names)).map(({ path, has, reads }) => {
          const field = path.join(".");
          return on(definition, `${field} is ${has} here, and ${reads} is read`, { field });
        });
      }),
  }),
  definitions.error("DEFINITION-ABSENT", "S16", {
    title: "The product's kinds are defined",
    cause: "a kind of the product is not defined: its resources cannot be read or written",
    fix: "apply the definitions of the release, with kubectl apply --server-side",
    needs: ["definitions"],
    judge: (situation) => {
      const { facts, names } = situation;
      const isAbsent = (name: string): boolean =>
        factNamed(facts, "definitions", { name }) === undefined;
      const absent = [...new Set([...definitionNames(names), ...broughtBy(situation)])].filter(
        isAbsent,
      );
      if (definitionNames(names).every(isAbsent)) {
        const cause = `none of the kinds of ${names.group} is served: is --names right?`;
        const fix =
          "give the names of the brand with --names FILE, or apply the release's definitions";
        return [{ cause, fix }];
      }
      return absent.map((name) => ({
        object: `CustomResourceDefinition/${name}`,
        cause: "it does not exist",
      }));
    },
  }),
  definitions.shared(operatorFindings.definitionUnserved, {
    title: "The product's kinds are served",
    needs: ["definitions"],
    judge: (situation) =>
      ours(situation).flatMap((definition) =>
        readCondition(definition, "Established")?.is === "True"
          ? []
          : [on(definition, "not established")],
      ),
  }),
  byRelease("definitionStored", "The release's definitions keep every stored version"),
  byRelease("definitionLoses", "The release's definitions keep every field that objects hold"),
  byRelease("definitionKept", "No definition is of a newer release"),
  definitions.shared(operatorFindings.definitionFixed, {
    title: "The release's definitions have the scope and the kind that are served",
    needs: ["definitions"],
    wants: "contents",
    judge: (situation) =>
      pairs(situation).flatMap(({ live, wanted }) => findFixedFields(live, wanted)),
  }),
  definitions.shared(operatorFindings.definitionKeepsUnknown, {
    title: "No definition keeps fields that its schema does not know",
    needs: ["definitions"],
    judge: (situation) =>
      ours(situation).flatMap((live) => findKeepsUnknown(live, findInRelease(situation, live))),
  }),
  byRelease("definitionRefuses", "The release's definitions accept what is stored", lossKeys),
  definitions.shared(operatorFindings.definitionBehind, {
    title: "The definitions are of the operator's release",
    needs: ["definitions", "deployments"],
    wants: "contents",
    judge: (situation) => {
      const { installed, wanted: goal } = situation;
      // what the upgrade brings is not behind
      if (installed === undefined || goal === undefined || isBefore(installed, goal.tag)) return [];
      const fix = isOfChart(situation) ? { fix: chartsWay } : {};
      return pairs(situation).flatMap(({ live, wanted }) => {
        const lacks = lostBetween(wanted, live);
        return lacks.length === 0 ? [] : [on(live, `it lacks ${few(lacks)} of ${goal.tag}`, fix)];
      });
    },
  }),
  definitions.shared(operatorFindings.definitionFields, {
    title: "The definitions have the fields that this tool writes",
    needs: ["definitions"],
    judge: (situation) => {
      if (situation.target.contents !== undefined) return [];
      return writtenFields(situation.names).flatMap(({ plural, version, choices }) => {
        const name = `${plural}.${situation.names.group}`;
        const definition = factNamed(situation.facts, "definitions", { name });
        const lacking = choices.filter(
          (paths) => findServedPaths(definition, version, paths)?.length === 0,
        );
        if (definition === undefined || lacking.length === 0) return [];
        const shown = lacking.map((paths) => paths.map((path) => path.join(".")).join(" or "));
        return [on(definition, `version ${version} lacks ${shown.join(", ")}`)];
      });
    },
  }),
  ofConversion("broken", "No definition converts through a Service that is gone"),
  { ...ofConversion("beyond", "The definitions convert as the release has it"), wants: "contents" },
  definitions.shared(operatorFindings.definitionShared, {
    title: "No other operator shares the definitions",
    needs: ["ecs"],
    judge: ({ facts }) => {
      const cause = describeShared(facts, facts.objects.ecs);
      return cause === undefined ? [] : [{ cause }];
    },
  }),
  definitions.warning("DEFINITION-ANNOTATION-LARGE", "Facts 8", {
    title: "The definitions fit what kubectl apply stores beside them",
    cause: "kubectl apply stores each definition in an annotation as well, which is nearly full",
    fix: "use server-side apply, as this tool does: kubectl apply --server-side",
    needs: ["definitions"],
    judge: (situation) =>
      ours(situation).flatMap((definition) => {
        const size = asString(getOwn(definition.metadata.annotations, lastApplied))?.length ?? 0;
        return size < nearLimit
          ? []
          : [on(definition, `${size} of ${annotationLimit} bytes are taken by it`)];
      }),
  }),
];

/** Operators with their releases, and clusters, of other namespaces; undefined where there is none. */
export function describeShared(
  { names, namespace, operators = [] }: Pick<Facts, "names" | "namespace" | "operators">,
  clusters: readonly KubeObject[],
): string | undefined {
  const running = operators.map(
    (one) =>
      `${readNamespace(one)} (${readOperatorVersion(one, names) ?? "its release is not told"})`,
  );
  const places = clusters.map(readNamespace).filter((one) => one !== namespace);
  const told = [
    ...(running.length === 0 ? [] : [`operators are also in ${few(running)}`]),
    ...(places.length === 0 ? [] : [`clusters are also in ${[...new Set(places)].join(", ")}`]),
  ];
  return told.length === 0 ? undefined : told.join("; ");
}

/** Fields that this tool writes or rests on; of the spellings of one, either will do. */
function writtenFields(names: CheckContext["names"]) {
  const { ec, edb, ecVersion, version, fields } = names;
  return [
    {
      plural: ec.plural,
      version: ecVersion,
      choices: [[fields.userDefinedModules], autoPaths(names), [names.ecFields.versionTag]],
    },
    { plural: edb.plural, version, choices: [[fields.engineVersion]] },
  ];
}

/** How each definition converts; a Service of a namespace that is not read is not known. */
function ofConversion(verdict: "beyond" | "broken", title: string): Check {
  const what = verdict === "broken" ? "definitionConversion" : "definitionConverts";
  return definitions.shared(operatorFindings[what], {
    title,
    needs: ["definitions", "services", "namespaces"],
    judge: (situation) =>
      ours(situation).flatMap((live) => {
        const isThere = isServiceThere(situation.facts, live);
        const found = judgeConversion(live, findInRelease(situation, live), isThere);
        if (found.is !== verdict) return [];
        return [on(live, found.because, { field: "spec.conversion" })];
      }),
  });
}

function isServiceThere(facts: Facts, definition: CustomResourceDefinition): boolean | undefined {
  const service = findConversionService(definition);
  if (service === undefined) return undefined;
  const { name, namespace } = service;
  if (factNamed(facts, "namespaces", { name: namespace }) === undefined) return false;
  if (namespace !== facts.namespace) return undefined;
  return factNamed(facts, "services", { name, namespace }) !== undefined;
}

/** What the release's bundle defines, where its operator runs already. */
function broughtBy({ installed, wanted, target }: CheckContext): readonly string[] {
  const isThere = installed !== undefined && installed.tag === wanted?.tag;
  return isThere ? (target.contents?.definitions ?? []).map(readName) : [];
}

/** Every kind of the product's group: a later release has more than the names know. */
function ours({ facts, names }: CheckContext): readonly CustomResourceDefinition[] {
  return facts.objects.definitions.filter((one) => one.spec?.group === names.group);
}

/** The release's definition of the same name. */
function findInRelease(
  { target }: CheckContext,
  live: CustomResourceDefinition,
): KubeObject | undefined {
  return target.contents?.definitions.find((one) => readName(one) === readName(live));
}

/** The definitions that the release holds too. */
function pairs(
  situation: CheckContext,
): readonly { readonly live: CustomResourceDefinition; readonly wanted: KubeObject }[] {
  return ours(situation).flatMap((live) => {
    const wanted = findInRelease(situation, live);
    return wanted === undefined ? [] : [{ live, wanted }];
  });
}
