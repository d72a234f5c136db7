/** Texts in the specification's words, said in the words of the names. */
import { defaultNames, kinds, mapNames, type Names, namesTree, termOf } from "./names";
import { escapeRegExp, getPath } from "../base/values";
import { type Spellings, spellings } from "./rebrand";

/**
 * Says texts of the program in the words of these names. For sentences that the program has of its
 * own, never for what a cluster or a person said: an object may well be called by a default name.
 */
export function wordingOf(names: Names): (text: string) => string {
  if (names === defaultNames) return (text) => text;
  const words = new Map([...wordsOf(names)].reverse());
  const contexts = contextsOf(names);
  const longestFirst = [...words.keys()].sort((one, other) => other.length - one.length);
  const parts = [
    ...contexts.map(({ after, word }) => `(?<=${after})(${word})`),
    `(?<![\\w-])(?:${longestFirst.map(escapeRegExp).join("|")})(?=s?(?![\\w-]))`,
  ];
  const pattern = new RegExp(parts.join("|"), "g");
  return (text) =>
    text.replace(pattern, (word: string, ...groups: readonly unknown[]) => {
      const found = contexts.find((_, index) => groups[index] !== undefined);
      return found === undefined ? String(words.get(word)) : found.given;
    });
}

/** Plain English words that are names after these words alone. */
function contextsOf({ operator, engineDbType, majorChannel, latestChannel }: Names) {
  const { namespace } = defaultNames.operator;
  return [
    { after: "-n ", word: `${namespace}(?![\\w-])`, given: operator.namespace },
    { after: "channel ", word: defaultNames.majorChannel, given: majorChannel },
    { after: "channel major, or ", word: defaultNames.latestChannel, given: latestChannel },
    { after: "type ", word: `${defaultNames.engineDbType}(?![\\w-])`, given: engineDbType },
    { after: "--engine-version ", word: defaultNames.latestChannel, given: latestChannel },
  ];
}

/** Every word that texts have for a name; the first is meant where one stands for several. */
function wordsOf(names: Names): Spellings {
  const words: (readonly [string, string])[] = kinds.flatMap((key) => [
    [termOf(defaultNames[key]), termOf(names[key])],
    [defaultNames[key].short, names[key].short],
  ]);
  mapNames(namesTree, ({ value, sort }, path) => {
    if (notInTexts.includes(path.join("."))) return;
    const given = [getPath(names, path)].flat().map(String);
    const toWords = sort.isPath === true ? pathWords : spellings;
    words.push(...toWords([value].flat(), given).filter(([from]) => /[^a-z]/.test(from)));
  });
  return words;
}

/** A path as it is written with dots, its last field, which texts call by itself, and what holds that. */
function pathWords(from: readonly string[], to: readonly string[]): Spellings {
  return [
    [from.join("."), to.join(".")],
    ...spellings(from.slice(-1), to.slice(-1)),
    ...spellings(from.slice(1, -1), [to.slice(Math.min(1, to.length - 2), -1).join(".")]),
  ];
}

/** Names that are no words of texts: numbers, Kubernetes' own words, and this tool's own names. */
const notInTexts: readonly string[] = [
  "version",
  "ecVersion",
  "engineVersions",
  "fieldManager",
  "webhookFieldManager",
  "companion.deployment",
];
