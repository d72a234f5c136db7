/** Names that cannot be told from one another: each kind of clash is one entry in a list. */
import type { Names } from "../names";

/** A key, dotted, and the value that it has. */
type Entry<V> = readonly [key: string, value: V];

/** Values that have to differ, and what would go wrong. */
interface Distinct {
  readonly among: (names: Names) => readonly Entry<string>[];
  readonly because: string;
}

/** Paths in one kind of object, none of which may lead to or through another. */
type Apart = (names: Names) => readonly Entry<readonly string[]>[];

const kinds = ["ec", "edb", "eaadb", "erc"] as const;

/** The entries of a group, or those that are named. */
function entries(
  group: string,
  values: Readonly<Record<string, string | readonly string[]>>,
  keys: readonly string[] = Object.keys(values),
): readonly Entry<string>[] {
  return Object.entries(values)
    .filter(([key]) => keys.includes(key))
    .flatMap(([key, value]) => [value].flat().map((one) => [`${group}.${key}`, one] as const));
}

const twoThings = "one field would mean two things";
const oneKind = "two kinds could not be told apart";
const ofModules = ["currentModule", "newModule", "newModuleArgs"];

const distinct: readonly Distinct[] = [
  {
    among: (names) => kinds.map((kind) => [`${kind}.kind`, names[kind].kind]),
    because: oneKind,
  },
  {
    among: (names) => kinds.flatMap((kind) => entries(kind, names[kind], ["plural", "short"])),
    because: oneKind,
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["configuration", "oldConfiguration"]),
    because: "the old configuration, which is deleted, would be the new one",
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["entry", "oldEntry"]),
    because: "a refusal by the old webhook would count as one by the new",
  },
  {
    among: ({ webhook }) => entries("webhook", webhook, ["secretCert", "secretKey"]),
    because: "the private key would be published as the certificate",
  },
  {
    among: ({ scc }) => entries("scc", scc),
    because: "the present constraint would be taken for the older one",
  },
  {
    among: ({ configMap }) => entries("configMap", configMap, ["namespaces", "namespacesLabel"]),
    because: "a list of namespaces would be read as a label",
  },
  {
    among: ({ secretItems }) => entries("secretItems", secretItems, ["username", "password"]),
    because: "the password would be read as the user name",
  },
  {
    among: ({ annotations }) => entries("annotations", annotations),
    because: "one annotation would mean two things",
  },
  {
    among: ({ operator }) => entries("operator", operator, ["container", "admissionContainer"]),
    because: "two containers of one pod cannot share a name",
  },
  {
    among: ({ majorChannel, latestChannel }) => [
      ["majorChannel", majorChannel],
      ["latestChannel", latestChannel],
    ],
    because: "two channels could not be told apart",
  },
  ...[
    ["moduleName", "moduleVersion"],
    ["bundledType", "bundledVersion", "bundledMajor"],
    ["userModuleName", "userModuleSource"],
    ["participatingName", "participatingNamespace"],
  ].map((keys) => ({
    among: ({ entryFields }: Names) => entries("entryFields", entryFields, keys),
    because: twoThings,
  })),
  {
    among: ({ upgradeRequest }) => entries("upgradeRequest", upgradeRequest, ofModules),
    because: twoThings,
  },
  {
    among: ({ upgradeRequest }) =>
      entries(
        "upgradeRequest",
        upgradeRequest,
        Object.keys(upgradeRequest).filter((key) => !ofModules.includes(key)),
      ),
    because: twoThings,
  },
  ...(["bdbFields", "restModuleFields", "actionFields", "clusterFields"] as const).map((group) => ({
    among: (names: Names) => entries(group, names[group]),
    because: twoThings,
  })),
  {
    among: ({ restErrors }) => entries("restErrors", restErrors),
    because: "one word would mean two things",
  },
];

const paths = (
  group: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly Entry<readonly string[]>[] =>
  Object.entries(values).map(([key, value]) => [`${group}.${key}`, value]);

const apart: readonly Apart[] = [
  ({ fields, ecFields }) => {
    const { engineUpgradePolicy, userDefinedModules, bundledDatabaseVersions, statusModules } =
      fields;
    return [
      ...paths("fields", { engineUpgradePolicy, userDefinedModules }),
      ...paths("fields", { bundledDatabaseVersions, statusModules }),
      ...paths("ecFields", ecFields),
    ];
  },
  ({ fields, edbFields }) => {
    const { engineVersion, clusterReference, evictionPolicy, statusVersion, moduleLists } = fields;
    const root = engineVersion.slice(0, 1);
    return [
      ...paths("fields", { engineVersion, clusterReference, evictionPolicy, statusVersion }),
      ...moduleLists.map((name, at) => [`fields.moduleLists[${at}]`, [...root, name]] as const),
      ...paths("edbFields", edbFields),
    ];
  },
  ({ fields: { globalConfigurations, clusterReference }, eaadbFields }) => [
    ...paths("fields", { globalConfigurations, clusterReference }),
    ...paths("eaadbFields", eaadbFields),
  ],
  ({ ercFields }) => paths("ercFields", ercFields),
];

/** Every clash within a full set of names. */
export function clashesOf(names: Names): readonly string[] {
  const found = [
    ...distinct.flatMap(({ among, because }) => equals(among(names), because)),
    ...apart.flatMap((among) => crossings(among(names))),
    ...placeholderClashes(names),
  ];
  return [...new Set(found)];
}

/** Each pair of a list once. */
function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((one, index) =>
    items.slice(index + 1).map((other) => [one, other] as const),
  );
}

function equals(among: readonly Entry<string>[], because: string): readonly string[] {
  return pairs(among)
    .filter(([[, one], [, other]]) => one === other)
    .map(([[key, value], [other]]) => `${key} and ${other} are both "${value}": ${because}`);
}

function crossings(among: readonly Entry<readonly string[]>[]): readonly string[] {
  return pairs(among).flatMap(([[key, one], [other, another]]) => {
    const length = Math.min(one.length, another.length);
    const shared = one.slice(0, length).join(".");
    if (shared !== another.slice(0, length).join(".")) return [];
    return one.length === another.length
      ? [`${key} and ${other} are both ${shared}: one field would mean two things`]
      : [`${key} and ${other}: ${shared} would be a value and hold fields at once`];
  });
}

/** Filling in a placeholder must touch neither another one nor a name. */
function placeholderClashes(names: Names): readonly string[] {
  const all = (["namespace", "serviceAccount"] as const).flatMap((key) =>
    names.placeholders[key].map(
      (token, index) => [`placeholders.${key}[${index}]`, token] as const,
    ),
  );
  const between = pairs(all).flatMap(([[key, one], [other, another]]) =>
    one.includes(another) || another.includes(one)
      ? [`${key} and ${other}: "${one}" and "${another}" overlap, one would be filled in by half`]
      : [],
  );
  return [...between, ...all.flatMap((token) => tokensInNames(token, names))];
}

/** Names that stand in templates beside the placeholders. */
function tokensInNames([key, token]: Entry<string>, names: Names): readonly string[] {
  const flat: readonly Entry<string>[] = [
    ["group", names.group],
    ...kinds.flatMap((kind) => entries(kind, names[kind])),
    ...(["webhook", "operator", "rbac", "scc", "configMap"] as const).flatMap((group) =>
      entries(group, names[group]),
    ),
  ];
  return flat
    .filter(([, value]) => value.includes(token))
    .map(([other, value]) => `${key}: "${token}" is a part of ${other}, "${value}"`);
}
