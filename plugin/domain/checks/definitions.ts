/** The definitions of the product's kinds, which all operators of a cluster share (domain facts 7, 8). */
import { factNamed, type Facts } from "../facts";
import { type KubeObject, lastApplied } from "../objects";
import { operatorFindings } from "../operator/codes";
import {
  conditionOf,
  type DefinitionVerdict,
  judgeDefinition,
  lossesOf,
} from "../operator/definitions";
import { at, own, text } from "../values";
import { type Check, checksOf, on } from "./check";
import { isBefore, nameOf, namespaceOf, type Situation } from "./situation";

const { error, shared, warning } = checksOf("definitions");
/** Together, all annotations of an object. */
const annotationLimit = 262_144;
const nearLimit = 200_000;

/** A verdict that upgrade-operator comes to as well. */
function byRelease(
  what: "definitionStored" | "definitionLoses" | "definitionKept",
  title: string,
  says: (verdict: DefinitionVerdict, live: KubeObject, facts: Facts) => string | undefined,
): Check {
  return shared(operatorFindings[what], {
    title,
    needs: ["definitions", "deployments"],
    wants: "contents",
    judge: (situation) =>
      pairs(situation).flatMap(({ live, wanted }) => {
        const { facts, installed, names, wanted: goal } = situation;
        const goesUp =
          goal !== undefined && (installed === undefined || isBefore(installed, goal.tag));
        const cause = says(judgeDefinition({ live, wanted, goesUp, names }), live, facts);
        return cause === undefined ? [] : [on(live, cause)];
      }),
  });
}

/** The checks of the definitions. */
export const definitionChecks: readonly Check[] = [
  error("DEFINITION-ABSENT", "S16", {
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
  shared(operatorFindings.definitionUnserved, {
    title: "The product's kinds are served",
    needs: ["definitions"],
    judge: (situation) =>
      ours(situation).flatMap((definition) =>
        conditionOf(definition, "Established")?.is === "True"
          ? []
          : [on(definition, "not established")],
      ),
  }),
  byRelease("definitionStored", "The release's definitions keep every stored version", (verdict) =>
    verdict.is === "refuse"
      ? `stored in ${verdict.versions.join(", ")}, which the release does not serve`
      : undefined,
  ),
  byRelease(
    "definitionLoses",
    "The release's definitions keep every field that objects hold",
    (verdict, live, facts) =>
      verdict.is === "apply" ? lossesOf(verdict.loses, live, facts) : undefined,
  ),
  byRelease("definitionKept", "No definition is of a newer release", (verdict) =>
    verdict.is === "keep" ? verdict.because : undefined,
  ),
  warning("DEFINITION-SHARED", "domain facts 8", {
    title: "No other operator shares the definitions",
    cause: "other namespaces hold clusters of their own: the new definitions are for them too",
    fix: "see that the operators there are not of a later release, and upgrade them soon after",
    needs: ["ecs"],
    judge: ({ facts }) => {
      const places = facts.objects.ecs
        .map(namespaceOf)
        .filter((namespace) => namespace !== facts.namespace);
      const others = [...new Set(places)];
      return others.length === 0 ? [] : [{ cause: `clusters are also in ${others.join(", ")}` }];
    },
  }),
  warning("DEFINITION-ANNOTATION-LARGE", "domain facts 8", {
    title: "The definitions fit what kubectl apply stores beside them",
    cause: "kubectl apply stores each definition in an annotation as well, which hardly has room",
    fix: "use server-side apply, as this tool does: kubectl apply --server-side",
    needs: ["definitions"],
    judge: (situation) =>
      ours(situation).flatMap((definition) => {
        const size = text(own(definition.metadata.annotations, lastApplied))?.length ?? 0;
        return size < nearLimit
          ? []
          : [on(definition, `${size} of ${annotationLimit} bytes are taken by it`)];
      }),
  }),
];

function definitionNames({ ec, edb, eaadb, erc, group }: Situation["names"]): readonly string[] {
  return [ec, edb, eaadb, erc].map(({ plural }) => `${plural}.${group}`);
}

/** What the release's bundle defines, where its operator runs already. */
function broughtBy({ installed, wanted, target }: Situation): readonly string[] {
  const isThere = installed !== undefined && installed.tag === wanted?.tag;
  return isThere ? (target.contents?.definitions ?? []).map(nameOf) : [];
}

/** Every kind of the product's group: a later release has more than the names know. */
function ours({ facts, names }: Situation): readonly KubeObject[] {
  return facts.objects.definitions.filter((one) => at(one, ["spec", "group"]) === names.group);
}

/** The definitions that the release holds too. */
function pairs(
  situation: Situation,
): readonly { readonly live: KubeObject; readonly wanted: KubeObject }[] {
  const { contents } = situation.target;
  return ours(situation).flatMap((live) => {
    const wanted = contents?.definitions.find((one) => one.metadata.name === live.metadata.name);
    return wanted === undefined ? [] : [{ live, wanted }];
  });
}
