/**
 * What `upgrade` knows of a part: the value that the part's room exports, and what it is made from. A part of an
 * upgrade is what a person names and sees; it is done by one or several `Part`s of the kernel, each as its own
 * command runs it.
 */
import type { Skip } from "../domain/base/skip";
import type { Area } from "../domain/checks/check";
import type { Facts } from "../domain/facts/facts";
import type { Needs } from "../domain/facts/needs";
import type { KubeObject } from "../domain/kube/objects";
import type { Release, ReleaseContents } from "../domain/release/contents";
import type { Part } from "../kernel/part";
import type { PartId } from "../kernel/report";
import type { CommandContext } from "./context";
import type { Chart } from "./operator-flags";

/** The flags of `upgrade` that its parts read. */
export interface UpgradePartFlags {
  readonly takeFields: readonly string[];
  readonly skip: readonly Skip[];
  /** Objects of the bundle that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  readonly chart?: Chart;
  readonly target?: string | undefined;
  readonly registry?: string | undefined;
  readonly pullSecret?: string | undefined;
  readonly clusterTarget?: string | undefined;
  readonly auto: boolean;
  readonly engineVersion?: string | undefined;
  /** Databases that keep nothing over a restart are upgraded all the same. */
  readonly mayDiscardData: boolean;
  readonly participants: readonly string[];
  readonly stallAfterMs: number;
  /** --timeout was typed: it then limits each wait. */
  readonly limited: boolean;
  readonly probe: boolean;
  readonly probeFile?: string | undefined;
}

/** What the parts are made from. */
export interface PartInputs {
  readonly context: CommandContext;
  readonly flags: UpgradePartFlags;
  /** Undefined for a chart. */
  readonly opened: Release | undefined;
  /** Of the release that was opened, for this platform; undefined while no cluster is read. */
  readonly contents: ReleaseContents | undefined;
  /** As they were before the upgrade. */
  readonly facts: Facts;
  /** The operator's release that is wanted; undefined where the release does not report. */
  readonly operatorVersion: string | undefined;
  /** The tag of the clusters that belongs to it. */
  readonly clusterTag: string | undefined;
}

/** At which stage of an upgrade the Parts are planned. */
export interface PartStage {
  /**
   * Planned a second time, before its act: what is not ready is then waited for with --wait and without, since the
   * parts before it have just written.
   */
  readonly isUnderWay: boolean;
  /** Whether the plan has that part too; always false once the plan is carried out. */
  readonly isPlanned: (id: PartId) => boolean;
  /** Definitions that parts before it bring, as far as they are planned; none once the plan is carried out. */
  readonly definitions: readonly KubeObject[];
}

/** One part of the whole upgrade, as the room of its command exports it. */
export interface UpgradePart {
  readonly id: PartId;
  readonly title: string;
  /** Why it has its place. */
  readonly because: string;
  readonly source: string;
  /** Why a whole upgrade leaves it out here; undefined: it is done. */
  readonly gate?: (inputs: PartInputs) => string | undefined;
  /** Checks whose findings do not stand against an upgrade: the part judges this itself, and brings it in order. */
  readonly settles?: {
    readonly areas?: readonly Area[];
    readonly codes?: readonly string[];
    /** Codes of these areas that no part of an upgrade brings in order. */
    readonly except?: readonly string[];
  };
  /** Codes of what another part brings in order, and without which this one is known to fail: it stands against it alone. */
  readonly restsOn?: readonly string[];
  /**
   * Present: every error that no part settles stands against it, whichever part an upgrade begins with. The codes are
   * those that the page of the procedure names.
   */
  readonly blockedBy?: readonly string[];
  /** What it may need, as narrow as the facts allow. */
  readonly needs: (inputs: PartInputs) => readonly Needs[];
  /** Made for one plan: one Part for each object that is upgraded by itself, in their order. */
  readonly makeParts: (inputs: PartInputs, stage: PartStage) => Promise<readonly Part[]>;
  /** Of a part that its gate leaves to someone else: whether that has come about; undefined: nothing is to be seen. */
  readonly prove?: (inputs: PartInputs) => Part["prove"] | undefined;
}
