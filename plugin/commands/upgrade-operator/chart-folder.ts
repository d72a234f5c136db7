/** The definitions of a chart's crds/ folder: helm makes them with an install and never upgrades them (S15, S20). */
import { EngineError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { boundList, few } from "../../domain/base/values";
import { definitionNames } from "../../domain/facts/deletion";
import { differences } from "../../domain/kube/differences";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, objectLabel, readName } from "../../domain/kube/objects";
import { operatorFinding } from "../../domain/operator/findings";
import type { ChartUpgrade } from "../../domain/operator/refusals";
import {
  type DesiredObject,
  findBundleKind,
  readOperatorVersion,
} from "../../domain/operator/wanted";
import type { PlannedChange } from "../../domain/kube/change";
import { requirePermissions } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { getTyped } from "../../ports/typed";
import { tellWrites } from "./bring";
import { type Evaluated, listWritePermissions, listWrites } from "./changes";
import type { ChartDeps, ChartOptions } from "./chart-options";
import type { ChartFacts } from "./chart-found";
import { judgeByChart } from "./chart-definitions";
import { lostBetween } from "./definitions";
import { evaluate, type Evaluating } from "./evaluate";
import type { OperatorDeps } from "./read";

/** The definitions as objects of a bundle. */
function listDesired(folder: readonly KubeObject[]): readonly DesiredObject[] {
  return folder.flatMap((object) => {
    const kind = findBundleKind(object);
    return kind === undefined ? [] : [{ kind, object }];
  });
}

/** What --apply-crds would write. */
export interface FolderPlan {
  readonly steps: readonly Evaluated[];
  readonly findings: readonly Finding[];
}

export const nothingInFolder: FolderPlan = { steps: [], findings: [] };

/** Where helm does not show the definitions and they are not to be applied, that is a note. */
export async function readFolder(
  { helm, recorder }: ChartDeps,
  { applyCrds }: Pick<ChartOptions, "applyCrds">,
  upgrade: ChartUpgrade,
): Promise<readonly KubeObject[]> {
  try {
    return await helm.folderDefinitions(upgrade);
  } catch (error) {
    const isHelms = error instanceof EngineError && error.code === "HELM-FAILED";
    if (!isHelms || applyCrds) throw error;
    recorder.note(
      `whether the definitions in the chart's crds/ folder differ from the stored ones is not known: ${error.message}`,
    );
    return [];
  }
}

/** What definitions that helm has made are judged and written with. */
export function makeFolderTools(
  { names }: Pick<ChartDeps, "names">,
  options: ChartOptions,
  { before, session }: { readonly before: ChartFacts; readonly session: Session },
): Omit<Evaluating, "deps"> {
  const contents = { operatorVersion: options.version };
  const registries = { registry: undefined, pullSecret: undefined };
  return {
    options: { ...options, contents, ...registries, byHelm: true },
    session,
    runs: readOperatorVersion(before.deployment, names),
  };
}

/** Judges what --apply-crds would write, each definition by the rules of a bundle. */
export async function planFolder(
  deps: ChartDeps,
  options: ChartOptions,
  {
    before,
    definitions,
  }: { readonly before: ChartFacts; readonly definitions: readonly KubeObject[] },
): Promise<FolderPlan> {
  const wanted = listDesired(definitions);
  const permissions = listWritePermissions(options, { objects: [] }, { wanted, patches: [] });
  await requirePermissions(deps, permissions);
  const session = new Session(deps, options);
  const evaluating = { deps, ...makeFolderTools(deps, options, { before, session }) };
  const steps: Evaluated[] = [];
  for (const one of wanted) steps.push(await evaluate(evaluating, one));
  return { steps, findings: steps.flatMap(({ findings }) => findings) };
}

/** The writes as a plan tells them. */
export function tellFolder(
  deps: ChartDeps,
  options: ChartOptions,
  { steps }: FolderPlan,
): readonly PlannedChange[] {
  if (options.dryRun === "none") return steps.flatMap(listWrites).map((change) => ({ change }));
  return tellWrites(deps.recorder, new Session(deps, options), steps);
}

/** What helm leaves as it is although the chart of that version has it otherwise. */
export async function judgeFolder(
  { cluster, signal, names }: Pick<OperatorDeps, "cluster" | "signal" | "names">,
  folder: readonly KubeObject[],
  version: string,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    folder.map(async (wanted) => {
      const ref = { resource: kinds.definition, name: readName(wanted) };
      const live = await getTyped(cluster, ref, { signal });
      const object = objectLabel(wanted);
      if (live === undefined) {
        const isOurs = definitionNames(names).includes(ref.name);
        return [
          operatorFinding(isOurs ? "chartFolderAbsent" : "chartFolder", { object, cause: absent }),
        ];
      }
      const gains = lostBetween(wanted, live);
      const verdict = judgeByChart(live, wanted, { version, names });
      const fields = differences(live, wanted).map(({ field }) => field);
      if (verdict.is === "keep" || fields.length === 0) return [];
      const how = gains.length > 0 ? `lacks ${few(gains)}` : `differs in ${boundList(fields)}`;
      const cause = `helm does not upgrade what is in the chart's crds/ folder: the stored definition ${how}`;
      return [operatorFinding("chartFolder", { object, cause })];
    }),
  );
  return findings.flat();
}

const absent =
  "it is in the chart's crds/ folder and not in the cluster: helm makes what is in that folder with an install alone";
