/** Why an EC's upgrade cannot be, judged from data alone: license, digests, databases, modules. */
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { at, text } from "../values";
import { compareEngineVersions, formatEngineVersion } from "../versions";
import { clusterFinding } from "./codes";
import { databasesOf, undefinedModules, usedModules } from "./databases";
import { autoOf } from "./fields";

const lowest = { major: 7, minor: 2 };

/** The command that shows, and does, the recovery of an EC whose upgrade does not go on (S97-S103). */
export function recoverLine({ metadata: { name, namespace } }: KubeObject): string {
  return `kubectl engine recover --ec ${String(name)} -n ${String(namespace)}`;
}

/** Every cause that the facts show; `auto` is what the EC asks for unless it is to be changed. */
export function upgradeCauses(
  facts: Facts,
  ec: KubeObject,
  auto = autoOf(ec, facts.names),
): readonly Finding[] {
  return [
    ...licenseCauses(facts, ec),
    ...(auto ? [...digestCauses(facts, ec), ...userModuleCauses(facts, ec)] : []),
    ...freezeCauses(facts, ec),
  ];
}

/** What lets an upgrade begin and freeze: databases that cannot go along (S113, S123, S124). */
export function freezeCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  return [...databaseCauses(facts, ec), ...undefinedModuleCauses(facts, ec)];
}

/** The license has to be valid (S59, S125). */
export function licenseCauses({ names }: Facts, ec: KubeObject): readonly Finding[] {
  const state = text(at(ec, names.ecFields.licenseState));
  if (state === undefined || state.toLowerCase() === "valid") return [];
  const until = text(at(ec, names.ecFields.licenseExpiration));
  const expires = until === undefined ? "" : `, it expires or expired ${until}`;
  return [
    clusterFinding("license", {
      object: objectLabel(ec),
      field: names.ecFields.licenseState.join("."),
      cause: `the license state is ${state}${expires}`,
    }),
  ];
}

/** With automatic upgrade no image may be pinned by its digest, each path is named (domain facts 7). */
export function digestCauses({ names }: Facts, ec: KubeObject): readonly Finding[] {
  return digestPaths(names)
    .filter((path) => text(at(ec, path)) !== undefined)
    .map((path) =>
      clusterFinding("digestPinned", {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${path.join(".")} pins an image, which does not go with an automatic upgrade`,
        fix: `remove ${path.join(".")}, or switch the automatic upgrade off`,
      }),
    );
}

function digestPaths({ ecFields }: Facts["names"]): readonly (readonly string[])[] {
  const { digestHash, bootstrapperImage, riggerImage, meterImage } = ecFields;
  const leaf = digestHash.slice(-1);
  return [
    digestHash,
    ...[bootstrapperImage, riggerImage, meterImage].map((path) => [...path, ...leaf]),
  ];
}

/** Databases with modules of the user's own need the automatic upgrade off (S51, S124). */
export function userModuleCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  const used = usedModules(facts, ec);
  if (used.length === 0) return [];
  const shown = used.map(({ module, databases }) => `${module} (${databases.join(", ")})`);
  return [
    clusterFinding("autoUserModules", {
      object: objectLabel(ec),
      cause: `databases use modules of the user's own, for which an automatic upgrade must be off: ${shown.join("; ")}`,
    }),
  ];
}

/** Every database has to run 7.2 or later (S123). */
export function databaseCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  return databasesOf(facts, ec).flatMap(({ label, version }) =>
    version === undefined || compareEngineVersions(version, lowest) >= 0
      ? []
      : [
          clusterFinding("databaseOld", {
            object: label,
            cause: `it runs ${formatEngineVersion(version)}, and with a database before ${formatEngineVersion(lowest)} the upgrade freezes`,
            fix: `upgrade it to ${formatEngineVersion(lowest)} or later first`,
          }),
        ],
  );
}

/** Modules of databases that nothing defines, each with its databases (S56). */
function undefinedModuleCauses(facts: Facts, ec: KubeObject): readonly Finding[] {
  const field = facts.names.fields.userDefinedModules.join(".");
  return undefinedModules(facts, ec).map(({ module, says }) =>
    clusterFinding("moduleUndefined", {
      object: objectLabel(ec),
      field,
      cause: says,
      fix: `define ${module} in ${field}, or take it out of these databases`,
    }),
  );
}
