/** What the REST API says stands in the way: the remedy follows its code, else its words, and no status of an answer. */
import { error } from "../base/findings";
import { type Code, bindFindings } from "../names/codes";
import { ec, text } from "../names/text";
import type { Names } from "../names/names";
import type { FailureBody } from "./errors";

/** What a cluster may lack for what it is asked to do. */
const troubleFindings = {
  resources: error("REST-RESOURCES", "Facts 9", {
    cause: "the cluster has too little memory, or too little of another resource, for the action",
    fix: text`give the nodes of the ${ec} more memory or the ${ec} another node, or lower the memory of databases that need less; then run again`,
  }),
  quorum: error("REST-QUORUM-LOST", "Facts 10", {
    cause:
      "more than half of the nodes of the cluster are lost: nothing is changed until they are back, and waiting does not bring them back",
    fix: "run kubectl engine recover: it names the pods that are lost with their cause, and prints the documented recovery",
  }),
  license: error("REST-LICENSE", "S114, S125", {
    cause:
      "the license of the cluster has expired or does not allow it: until it is renewed, no database is upgraded",
    fix: text`set a valid license in the ${ec}, wait until its status reports it as Valid, then run again`,
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** What lacks. */
export type Trouble = keyof typeof troubleFindings;

/** A finding of one of the codes. */
export const troubleFinding = bindFindings(troubleFindings);

/** Every code, for the catalogue. */
export const troubleCodes: readonly Code[] = Object.values(troubleFindings);

const wordings: readonly (readonly [Trouble, RegExp])[] = [
  [
    "resources",
    /\b(not enough|too little|insufficient|lack(s|ing)?( of)?|out of|no free)\b.*\b(memory|ram|resources?|disk|storage|flash|cpus?|cores?)\b/i,
  ],
  ["quorum", /\b(no|lost|losing|without)\b.{0,20}\bquorum\b|\bquorum\b.{0,10}\b(is )?lost\b/i],
  ["license", /\blicen[cs]e\b.*\b(expired|invalid|exceeded|limit)\b/i],
];

/** What a refusal, or an action that waits or has failed, says that it lacks; undefined for anything else. */
export function troubleIn(
  { code, message }: FailureBody,
  { restErrors }: Names,
): Trouble | undefined {
  const { insufficientResources, noQuorum, licenseExpired } = restErrors;
  const byCode = new Map<string | undefined, Trouble>([
    [insufficientResources, "resources"],
    [noQuorum, "quorum"],
    [licenseExpired, "license"],
  ]).get(code?.toLowerCase());
  return byCode ?? wordings.find(([, words]) => words.test(message ?? ""))?.[0];
}
