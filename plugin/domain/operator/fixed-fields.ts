/**
 * Fields that the API server takes once: an update with another value is refused, whoever sends it, so
 * that the only way out is known before anything is tried (Facts 8).
 */
import type { Finding } from "../base/findings";
import { kubectl, type Remedy } from "../base/remedy";
import {
  asArray,
  asString,
  cutWhere,
  getOwn,
  getPath,
  renderValue,
  sameJson,
} from "../base/values";
import { differences } from "../kube/differences";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
import { operatorFinding } from "./findings";

/** A field with another value: as it stands there, and as the release has it. */
interface Changed {
  readonly field: string;
  readonly live: unknown;
  readonly wanted: unknown;
}

type Find = (live: KubeObject, wanted: KubeObject) => readonly Changed[];

/** What a kind never changes, and what is interrupted while an object of it is away. */
interface FixedKind {
  readonly find: Find;
  readonly meanwhile: string;
}

const changedAt = (live: KubeObject, wanted: KubeObject, path: readonly string[]): Changed => ({
  field: `.${path.join(".")}`,
  live: getPath(live, path),
  wanted: getPath(wanted, path),
});

/** A Deployment has a selector; what lacks one is a part of an object. */
const findSelector: Find = (live, wanted) =>
  differences(live, wanted).filter(
    (one) => one.field === ".spec.selector" && one.live !== undefined,
  );

/** The group is filled in where a file leaves it out. */
const findRole: Find = (live, wanted) => {
  const isSame = ["kind", "name"].every(
    (key) => getOwn(live["roleRef"], key) === getOwn(wanted["roleRef"], key),
  );
  return isSame ? [] : [changedAt(live, wanted, ["roleRef"])];
};

/** An address may be given up for an external name, and be given where there is none. */
const findAddress: Find = (live, wanted) => {
  const address = changedAt(live, wanted, ["spec", "clusterIP"]);
  const families = changedAt(live, wanted, ["spec", "ipFamilies"]);
  const first = { live: asArray(families.live)[0], wanted: asArray(families.wanted)[0] };
  const isExternal = [live, wanted].some(
    (service) => getPath(service, ["spec", "type"]) === "ExternalName",
  );
  if (isExternal) return [];
  return [address, { ...families, ...first }].filter(
    (one) => (asString(one.live) ?? "") !== "" && isOther(one),
  );
};

function isOther({ live, wanted }: Changed): boolean {
  return (asString(wanted) ?? "") !== "" && live !== wanted;
}

/** Data that was marked as immutable, and the mark itself. */
const findData: Find = (live, wanted) => {
  if (live["immutable"] !== true) return [];
  return ["data", "binaryData", "immutable"].flatMap((key) => {
    const one = changedAt(live, wanted, [key]);
    return one.wanted === undefined || sameJson(one.live, one.wanted) ? [] : [one];
  });
};

const unbound = "what uses the rights of this binding fails";

const fixedKinds: Readonly<Record<string, FixedKind>> = {
  ClusterRoleBinding: { find: findRole, meanwhile: unbound },
  ConfigMap: { find: findData, meanwhile: "a pod that starts waits for it" },
  Deployment: {
    find: findSelector,
    meanwhile:
      "no operator and no admission webhook run: edits of databases are refused, or unchecked where the webhook's failure policy is Ignore; clusters, databases and their pods keep running",
  },
  RoleBinding: { find: findRole, meanwhile: unbound },
  Service: {
    find: findAddress,
    meanwhile: "nothing reaches its pods: edits of databases are refused where it is the webhook's",
  },
};

/** Every field of the release's object that the stored one will never take. */
export function findFixedFields(live: KubeObject, wanted: KubeObject): readonly Finding[] {
  if (wanted.kind === "CustomResourceDefinition") return findFixedNames(live, wanted);
  const known = fixedKinds[wanted.kind];
  if (known === undefined) return [];
  return known.find(live, wanted).map((changed) =>
    operatorFinding("fixedField", {
      object: objectLabel(live),
      field: changed.field,
      cause: `${tellChange(changed)}, and the API server never changes it in an object that exists`,
      remedies: [replace(live, known)],
    }),
  );
}

/** The object is deleted, and made again by the upgrade. */
function replace(object: KubeObject, known: FixedKind): Remedy {
  const { namespace } = object.metadata;
  const name = readName(object);
  const place = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const at = [object.kind.toLowerCase(), name, ...place];
  return {
    ...kubectl("save the object and delete it", "delete", ...at),
    saves: { words: ["get", ...at, "-o", "yaml"], file: `${name}.yaml` },
    then: {
      says: `run again at once: the upgrade creates it as the release has it; until then ${known.meanwhile}`,
    },
  };
}

function tellChange({ live, wanted }: Changed): string {
  const [is, has] = [renderValue(live), renderValue(wanted)];
  return `it is ${cutWhere(is, has, longest)}, the release has ${cutWhere(has, is, longest)}`;
}

const longest = 120;

/** The objects of a definition go with it: it is never deleted for one of its fields. */
function findFixedNames(live: KubeObject, wanted: KubeObject): readonly Finding[] {
  return [["scope"], ["names", "kind"]].flatMap((path) => {
    const changed = changedAt(live, wanted, ["spec", ...path]);
    if (changed.live === changed.wanted) return [];
    return [
      operatorFinding("definitionFixed", {
        object: objectLabel(live),
        field: changed.field,
        cause: `${tellChange(changed)}, and the API server never changes it in a definition that is served`,
        fix: "leave the definition as it is: deleting it deletes every object of its kind; give a release whose definition is the one that the objects were made by, or ask the vendor how they are moved",
      }),
    ];
  });
}
