/** Every command that writes, and what holds for it when the API server stops answering at one of its requests. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { exampleDefinitions } from "../../plugin/simulator/example";
import { alone, scc } from "../plugin/commands/unbind-scc/objects";
import { hang, type HangRow, type Hung, longest, target } from "./hanging";

type Words = HangRow["words"];

const operator: Words = ({ release }) => ["upgrade-operator", "--release", release];
const webhook: Words = () => ["upgrade-webhook", "--no-probe"];
const rbac: Words = ({ release }) => ["reapply-rbac", "--release", release];
const cluster: Words = () => ["upgrade-cluster", "ec", "--target", target];
const database: Words = () => [
  ...["upgrade-database", "config", "--engine-version", "8.0"],
  "--may-discard-data",
];
const upgrade: Words = ({ release }) => ["upgrade", "--release", release, "--no-probe"];
const unbind: Words = () => ["unbind-scc", "--scc", scc];

const withoutPair: HangRow["objects"] = (example) =>
  example.filter(
    ({ kind, metadata }) => kind !== "Secret" || metadata.name !== names.webhook.secret,
  );
const bound: HangRow["objects"] = () => [...exampleDefinitions(names), ...alone];

/** Its values were up to date before: that its fields change hands cannot be read off them. */
const handedOver = /^Service\/engine\/admission$/;

/** A new command is one line here; the group says which file of test/faults plays it. */
export const commands: readonly (HangRow & {
  readonly title: string;
  readonly group: "objects" | "certificate" | "operator" | "whole";
})[] = [
  { title: "upgrade-webhook", group: "objects", words: webhook },
  { title: "reapply-rbac", group: "objects", words: rbac },
  { title: "unbind-scc", group: "objects", objects: bound, words: unbind },
  {
    title: "upgrade-cluster",
    group: "objects",
    before: [rbac, operator, webhook],
    words: cluster,
  },
  {
    title: "upgrade-database",
    group: "objects",
    before: [rbac, operator, webhook, cluster],
    words: database,
  },
  {
    title: "cert create",
    group: "certificate",
    objects: withoutPair,
    words: () => ["cert", "create"],
    // its last look, at what it has made, is left out: the next run rightly ends with 5, it is there
    oneIn: 1,
  },
  {
    title: "cert create --replace",
    group: "certificate",
    words: () => ["cert", "create", "--replace"],
    passing: /^Secret\/engine\/admission-tls-\d/,
  },
  { title: "upgrade-operator", group: "operator", words: operator, passing: handedOver },
  // each kind of its requests at the first one: its parts are the commands above, played at every request
  { title: "upgrade", group: "whole", words: upgrade, oneIn: 1, passing: handedOver },
];

/** The titles of a group. */
export function titlesOf(group: (typeof commands)[number]["group"]): readonly string[] {
  return commands.filter((row) => row.group === group).map(({ title }) => title);
}

/** What was not as it has to be, run by run. */
export async function wrongOf(title: string): Promise<readonly string[]> {
  const row = commands.find((one) => one.title === title);
  if (row === undefined) throw new Error(title);
  const { wanted, hung } = await hang(row);
  const { end } = wanted;
  if (end === "killed" || end.code !== 0) return [JSON.stringify(end)];
  if (!hung.some(({ call }) => call.writes)) return ["no write was met"];
  return hung.flatMap((one) => judged(one).map((why) => `${one.what}: ${why}`));
}

/** What of one request without an answer was not as it has to be. */
export function judged(one: Hung): readonly string[] {
  const { fault, wrong, extraMs } = one;
  const limit = fault === "silence" ? longest.all : longest.one;
  return [
    ...(wrong === undefined ? [] : [wrong]),
    ...(extraMs <= limit ? [] : [`took ${String(extraMs / 1000)} s more`]),
    ...(one.call.writes ? judgedWrite(one) : []),
  ];
}

/** Of a write its outcome is said, and said truly. */
function judgedWrite({ fault, ends: [end] }: Hung): readonly string[] {
  if (end === undefined || end === "killed") return ["it was killed"];
  const { code, reason } = end;
  const told = {
    "hang-after": code === 0, // read back, and gone on with
    hang: code === 0 || reason.includes("did not take effect"),
    silence: /cannot (be seen|tell)/.test(reason),
  }[fault];
  return told === true ? [] : ["its outcome is not told truly"];
}
