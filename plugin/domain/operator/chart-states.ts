/** The states in which helm refuses to upgrade a release, and the ways out that the state allows (S20). */
import { kubectl, type Remedy } from "../base/remedy";
import { type Adoption, adopt, again, helm, type ChartHome, renderHome } from "./chart-marks";
import type { ChartRelease, ChartRevision } from "./refusals";

/** Where a release is, and what would adopt what it has installed. */
interface StatePlace extends Omit<Adoption, "release"> {
  readonly home: ChartHome;
}

/** Why helm refuses it, and what to do. */
interface RefusedState {
  readonly because: string;
  readonly remedies: readonly Remedy[];
}

/** A release with its revisions apart. */
interface Told {
  readonly release: ChartRelease;
  /** All but the last; undefined where they are not known. */
  readonly earlier: readonly ChartRevision[] | undefined;
}

/** Undefined where helm upgrades it: one that is deployed, that failed, or of which an earlier revision took over. */
export function judgeChartState(
  release: ChartRelease,
  place: StatePlace,
): RefusedState | undefined {
  // what has the same state goes with it
  const earlier = release.revisions?.slice(0, -1).filter(({ status }) => status !== release.status);
  return refused[release.status]?.(place, { release, earlier });
}

type DescribeState = (place: StatePlace, told: Told) => RefusedState | undefined;

const cutOff = "was cut off, or has not ended yet";

const refused: Readonly<Record<string, DescribeState>> = {
  "pending-install": (place, { release, earlier = [] }) => ({
    because: `its first install ${cutOff}, and there is no revision to go back to`,
    remedies: [
      { ...removeRecords(place, release, earlier.length > 0), then: adoptAll(place, release) },
      uninstall(place, release, "where nothing of it is in use, delete every object of the chart"),
    ],
  }),
  "pending-upgrade": (place, told) => goBack(place, told, `an earlier run ${cutOff}`),
  "pending-rollback": (place, told) => goBack(place, told, `an earlier rollback ${cutOff}`),
  unknown: (place, told) => {
    const { earlier } = told;
    // helm goes by the revision that is deployed
    if (earlier === undefined || earlier.some(({ status }) => status === "deployed")) return;
    return goBack(place, told, "helm cannot say what became of it");
  },
  uninstalling: (place, told) => ({
    because: `a helm uninstall ${cutOff}, and may have deleted some of its objects`,
    remedies: [withoutLast(place, told), uninstall(place, told.release, "finish the removal")],
  }),
  uninstalled: (place, { release }) => ({
    because: "it was uninstalled, and its history was kept",
    remedies: [rollBack(place, release, release.revision ?? "REVISION", "bring it back")],
  }),
};

/** Back to the last revision that was deployed; where there is none, helm has nothing to go back to. */
function goBack(place: StatePlace, told: Told, because: string): RefusedState {
  const { release, earlier } = told;
  if (earlier === undefined) {
    const look = helm(
      "find the last revision that was deployed",
      ...["history", release.name, `--namespace=${place.namespace}`],
    );
    const then = rollBack(place, release, "REVISION", "go back to it");
    return { because, remedies: [{ ...look, then }] };
  }
  const last = findDeployed(earlier);
  if (last !== undefined) {
    return { because, remedies: [rollBack(place, release, String(last), "take it back")] };
  }
  return {
    because: `${because}, and no earlier revision was deployed to go back to`,
    remedies: [withoutLast(place, told)],
  };
}

/** A revision that was superseded was deployed before. */
function findDeployed(revisions: readonly ChartRevision[]): number | undefined {
  const of = (wanted: string): number | undefined =>
    revisions.findLast(({ status }) => status === wanted)?.revision;
  return of("deployed") ?? of("superseded");
}

/** Helm upgrades a release whose last record failed or was superseded; any other one is adopted anew. */
function withoutLast(place: StatePlace, { release, earlier }: Told): Remedy {
  const before = earlier?.at(-1)?.status;
  const isTaken = earlier === undefined || ["failed", "superseded"].includes(String(before));
  return {
    ...removeRecords(place, release, !isTaken && before !== undefined),
    then: isTaken ? again : adoptAll(place, release),
  };
}

/** Has helm forget a release of which another one has the objects: an uninstall would delete them. */
export function forget(
  place: Pick<StatePlace, "home" | "namespace">,
  release: ChartRelease,
): Remedy {
  const { name } = release;
  return {
    ...helm(
      `compare what release ${name} has with the cluster`,
      ...["get", "manifest", name, `--namespace=${place.namespace}`],
    ),
    then: { ...removeRecords(place, release, true), then: again },
  };
}

/** Of the last revision, which has that state, or of all of them: helm installs no release that it has a record of. */
function removeRecords(
  { home, namespace }: Pick<StatePlace, "home" | "namespace">,
  { name, status }: ChartRelease,
  isOfAll: boolean,
): Remedy {
  const which = isOfAll ? "all its records" : "that record";
  const says = `to keep what is installed, remove ${which}`;
  if (home === "database") {
    const rows = isOfAll ? "" : ` and status ${status}`;
    return { says: `${says} from ${renderHome(home)}: the rows of release ${name}${rows}` };
  }
  const labels = `owner=helm,name=${name}${isOfAll ? "" : `,status=${status}`}`;
  const kind = home === "Secrets" ? "secret" : "configmap";
  return kubectl(says, "delete", kind, "-l", labels, `--namespace=${namespace}`);
}

function adoptAll(place: StatePlace, { name }: ChartRelease): Remedy {
  return adopt("let helm adopt the objects", { ...place, release: name });
}

function rollBack(
  { namespace }: StatePlace,
  { name }: ChartRelease,
  revision: string,
  says: string,
): Remedy {
  return { ...helm(says, "rollback", name, revision, `--namespace=${namespace}`), then: again };
}

function uninstall({ namespace }: StatePlace, { name }: ChartRelease, says: string): Remedy {
  return helm(says, "uninstall", name, `--namespace=${namespace}`);
}
