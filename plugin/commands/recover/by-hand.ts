/** The documented recovery, filled in with the real names, as commands without credentials (S97-S103). */
import { buildPatch } from "../../domain/kube/edits";
import { type Names, renderTerm } from "../../domain/names/names";
import type { KubeObject } from "../../domain/kube/objects";
import { listSteps, type Run } from "../../domain/base/remedy";
import type { FreezeCause } from "../../domain/recovery/cause";
import type { Freeze } from "../../domain/recovery/classify";
import { type Apart, raisedEdit } from "../../domain/recovery/line";
import { requestBody } from "../../domain/database/bdb";
import { mayLoseData } from "../../domain/database/keeping";
import { judgeLoss, type RecoveryWish } from "./plan";

/** Programs with their words, each fed by the one before it. */
export type Pipeline = readonly (readonly string[])[];

/** One step of the procedure. */
interface ProcedureStep {
  readonly says: string;
  readonly source: string;
  readonly commands: readonly Pipeline[];
}

/** How curl reaches the REST API. */
export interface ApiAccess {
  /** "https://ec.engine.svc.cluster.local:9443": the Host header is the cluster's name (S76). */
  readonly base: string;
  /** host:port behind that name, where it is not reached by it. */
  readonly connectTo?: string;
  /** A port of a pod that has to be forwarded first. */
  readonly forward?: { readonly pod: string; readonly port: string };
  /** File; absent: the person fills it in. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly secret: { readonly name: string; readonly namespace: string };
}

/** What the procedure is written from. */
export interface Procedure {
  readonly names: Names;
  readonly ec: KubeObject;
  readonly freeze: Freeze;
  /** The REST API was asked, so that the numbers of databases are proven. */
  readonly asked: boolean;
  readonly access: ApiAccess;
  readonly wish: RecoveryWish;
  /** Resources to bring in line, as they will be with what was given. */
  readonly apart: readonly Apart[];
  /** The words that install a module of the file that is named last. */
  readonly install: readonly string[];
  /** The words of this run that do all of it at once. */
  readonly again: readonly string[];
}

/** Stands for what the person has to choose. */
const blanks = {
  version: "VERSION",
  uid: "UID",
  ca: "CA_FILE",
  license: "LICENSE_FILE",
};

/** The steps in their order; those that no cause needs are left out. */
export function listProcedure(procedure: Procedure): readonly ProcedureStep[] {
  const { freeze, apart } = procedure;
  if (freeze.is !== "frozen" && apart.length === 0) return [];
  const rest = [...licenseStep(procedure), ...moduleSteps(procedure), ...versionSteps(procedure)];
  return [
    lookStep(procedure),
    ...listWays(procedure, "other", "outdated", "held"),
    ...(rest.length === 0 ? [] : reachStep(procedure)),
    ...rest,
    ...listWays(procedure, "digest"),
    ...(freeze.is === "frozen" ? [runningStep(procedure)] : []),
    ...lineSteps(procedure),
    ...applyStep(procedure),
  ];
}

/** True where `--apply` has something to do or to wait for; causes that are a person's to remove it only tells. */
export function canApply({ freeze, apart }: Pick<Procedure, "freeze" | "apart">): boolean {
  const isPersons = freeze.causes.length > 0 && freeze.causes.every(({ is }) => is === "other");
  return apart.length > 0 || !isPersons;
}

function applyStep(procedure: Procedure): readonly ProcedureStep[] {
  if (!canApply(procedure)) return [];
  return [
    {
      says: "or let this tool do it, as far as it can, and wait for each step",
      source: "S99, S100",
      commands: [[procedure.again]],
    },
  ];
}

function causes<K extends FreezeCause["is"]>({ freeze }: Procedure, ...kinds: readonly K[]) {
  return freeze.causes.filter((cause): cause is Extract<FreezeCause, { is: K }> =>
    kinds.some((is) => cause.is === is),
  );
}

function placeOf({ metadata }: KubeObject): readonly [name: string, namespace: string] {
  return [String(metadata.name), String(metadata.namespace)];
}

function lookStep({ names, ec }: Procedure): ProcedureStep {
  const [, namespace] = placeOf(ec);
  const { deployment, container } = names.operator;
  const log = ["logs", `deployment/${deployment}`, "-c", container, "--tail=200"];
  const events = ["get", "events", "--field-selector=type=Warning", "--sort-by=.lastTimestamp"];
  return {
    says: "check the operator's log, and the events, for the cause",
    source: "S97",
    commands: [log, events].map((words) => [["kubectl", ...words, "-n", namespace]]),
  };
}

/** The ways out of causes as their findings have them, the first to be handled first. */
function listWays(
  procedure: Procedure,
  ...kinds: readonly FreezeCause["is"][]
): readonly ProcedureStep[] {
  const [, namespace] = placeOf(procedure.ec);
  return causes(procedure, ...kinds).flatMap(({ finding }) => {
    const { object, fix, remedies = [{ says: fix }], source } = finding;
    return remedies.flatMap((remedy, at) => {
      const before = at === 0 ? `${String(object)}: ` : "else ";
      return listSteps({ ...remedy, says: `${before}${remedy.says}` }).map(
        ({ says, run, see = run }): ProcedureStep => ({
          says,
          source,
          commands: see === undefined ? [] : [[renderRun(see, namespace)]],
        }),
      );
    });
  });
}

function renderRun({ of, words }: Run, namespace: string): readonly string[] {
  return of === "tool" ? ["kubectl", "engine", ...words, "-n", namespace] : [of, ...words];
}

function reachStep({ ec, access: { forward } }: Procedure): readonly ProcedureStep[] {
  if (forward === undefined) return [];
  const [, namespace] = placeOf(ec);
  const words = ["port-forward", `pod/${forward.pod}`, forward.port, "-n", namespace];
  return [
    {
      says: "reach the REST API: leave this running in another terminal",
      source: "Facts 9",
      commands: [[["kubectl", ...words]]],
    },
  ];
}

/** The credentials go from the Secret to curl's standard input: no command line and no text has them. */
function rest({ names, access }: Procedure, words: readonly string[], path: string): Pipeline {
  const { base, connectTo, ca = blanks.ca, insecure, secret } = access;
  const { username, password } = names.secretItems;
  const read = (item: string): string => `(index .data ${JSON.stringify(item)} | base64decode)`;
  const template = `user = {{printf "%q" (printf "%s:%s" ${read(username)} ${read(password)})}}`;
  return [
    [
      "kubectl",
      "get",
      "secret",
      secret.name,
      "-n",
      secret.namespace,
      `--output=go-template=${template}`,
    ],
    [
      ...["curl", "--config", "-", "--silent", "--show-error", "--fail-with-body"],
      ...(insecure ? ["--insecure"] : ["--cacert", ca]),
      ...(connectTo === undefined ? [] : ["--connect-to", `::${connectTo}`]),
      ...words,
      `${base}${path}`,
    ],
  ];
}

function licenseStep(procedure: Procedure): readonly ProcedureStep[] {
  if (causes(procedure, "license").length === 0) return [];
  const { license } = procedure.names.restPaths;
  const put = ["-X", "PUT", "-H", "Content-Type: application/json", "--data", `@${blanks.license}`];
  const field = procedure.names.licenseFields.text;
  return [
    {
      says: `put in a valid license: ${blanks.license} holds {"${field}": "..."}; put it into the ${renderTerm(procedure.names.ec)}'s Secret as well, or the operator writes the old one again`,
      source: "S114, S125",
      commands: [rest(procedure, put, license)],
    },
  ];
}

function moduleSteps(procedure: Procedure): readonly ProcedureStep[] {
  const found = causes(procedure, "module");
  if (found.length === 0) return [];
  const { restPaths } = procedure.names;
  const missing = found.map(({ module }) => module).join(", ");
  return [
    {
      says: "list the modules that are installed, and those that databases use",
      source: "S101, S102",
      commands: [rest(procedure, [], restPaths.modules), rest(procedure, [], restPaths.bdbs)],
    },
    {
      says: `download ${missing} for the operating system of the new release, and install it`,
      source: "S99, S103",
      commands: [[procedure.install]],
    },
  ];
}

/** A number that is not proven is not printed where a call would follow it. */
function versionSteps(procedure: Procedure): readonly ProcedureStep[] {
  const { names, wish, asked } = procedure;
  const version = wish.engineVersion ?? blanks.version;
  return causes(procedure, "database").map(({ database: { label, uid, keeping } }) => {
    const mayDiscardData = mayLoseData(keeping, wish);
    const body = JSON.stringify(requestBody({ engineVersion: version, mayDiscardData }, names));
    const post = ["-X", "POST", "-H", "Content-Type: application/json", "--data", body];
    const isProven = asked && uid !== undefined;
    const filled = (path: string): string =>
      path.replace("{uid}", isProven ? String(uid) : blanks.uid);
    const which = isProven ? "" : `find its ${blanks.uid} in the list, by name and port; `;
    return {
      says: [
        `${which}upgrade ${label}, then look until it is active at ${version}`,
        ...judgeLoss(label, keeping, wish).map(({ cause, fix }) => `${cause}: ${fix}`),
      ].join("; "),
      source: "S100",
      commands: [
        ...(isProven ? [] : [rest(procedure, [], names.restPaths.bdbs)]),
        rest(procedure, post, filled(names.restPaths.upgrade)),
        rest(procedure, [], filled(names.restPaths.bdb)),
      ],
    };
  });
}

function runningStep({ ec, names }: Procedure): ProcedureStep {
  const [name, namespace] = placeOf(ec);
  const kind = `${names.ec.plural}.${names.group}/${name}`;
  const path = `{.${names.ecFields.state.join(".")}}`;
  const wait = ["wait", kind, `--for=jsonpath=${path}=Running`, "--timeout=1h", "-n", namespace];
  const follow = ["rollout", "status", `statefulset/${name}`, "-n", namespace];
  return {
    says: `wait until the operator has continued and the ${renderTerm(names.ec)} is Running: databases are not reconciled before`,
    source: "S68, S72, S98",
    commands: [wait, follow].map((words) => [["kubectl", ...words]]),
  };
}

/** Resources as they will be with what is given; where that is open, with blanks. */
function lineSteps(procedure: Procedure): readonly ProcedureStep[] {
  const { names, wish } = procedure;
  const kind = `${names.edb.plural}.${names.group}`;
  // with a version it is among those that will be apart
  const raised = causes(procedure, "database").flatMap(({ database }) =>
    wish.engineVersion === undefined ? raisedEdit(database, blanks.version, names) : [],
  );
  const installed = causes(procedure, "module").flatMap(({ module, databases }) =>
    databases.map(({ label }) => `${module} of ${label}`),
  );
  const edbs = [...new Set([...procedure.apart, ...raised].map(({ edb }) => edb))];
  const commands = edbs.map((edb) => {
    const own = [...raised, ...procedure.apart].filter((one) => one.edb === edb);
    const body = JSON.stringify(buildPatch(own.flatMap(({ edits }) => edits)));
    const [name, namespace] = placeOf(edb);
    return [["kubectl", "patch", kind, name, "-n", namespace, "--type=merge", "-p", body]];
  });
  if (commands.length === 0 && installed.length === 0) return [];
  const modules =
    installed.length === 0
      ? ""
      : `; the version numbers in its list of ${installed.join(", ")} too`;
  return [
    {
      says: `update the resources to match, so that the operator does not undo it${modules}`,
      source: "S99, S100",
      commands,
    },
  ];
}
