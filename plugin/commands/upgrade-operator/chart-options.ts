/** What an upgrade by chart is told, and helm as far as it is used here (S20). */
import type { Facts } from "../../domain/facts/facts";
import type { Json } from "../../domain/base/values";
import type { KubeObject } from "../../domain/kube/objects";
import type { DeployedChart, RenderedChart } from "../../domain/operator/chart-images";
import type { ChartHome } from "../../domain/operator/chart-marks";
import type { ChartRelease, ChartUpgrade, HelmFlag } from "../../domain/operator/refusals";
import type { World } from "../../kernel/world";
import type { OperatorDeps, OperatorOptions } from "./read";

/** The chart's flags, judged. */
export interface ChartOptions extends OperatorOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  readonly values: readonly string[];
  readonly given: readonly HelmFlag[];
  /** The definitions of the chart's crds/ folder are applied before helm runs. */
  readonly applyCrds: boolean;
  /** Where helm keeps the records of its releases. */
  readonly home: ChartHome;
  /** Local changes that the chart wins. */
  readonly takeFields: readonly string[];
  /** Objects that are accepted although they are unusual, or hold data and are deleted; absent: none. */
  readonly allowObjects?: readonly string[];
}

/** Helm, as far as it is used here. */
export interface Helm {
  /** The release of that name in the namespace, whatever its state; undefined when there is none. */
  find(name: string): Promise<ChartRelease | undefined>;
  /** The values that a person has given so far. */
  values(name: string): Promise<Json>;
  /** Throws when helm ends with an error of its own. */
  upgrade(upgrade: ChartUpgrade): Promise<void>;
  /** What it would write; the server's dry run asks the API server too. */
  render(upgrade: ChartUpgrade, mode: "client" | "server"): Promise<RenderedChart>;
  /** What it has written as the release is deployed today. */
  manifest(release: ChartRelease): Promise<DeployedChart>;
  /** The definitions of the chart's crds/ folder. */
  folderDefinitions(upgrade: ChartUpgrade): Promise<readonly KubeObject[]>;
  /** Back to the revision before. */
  rollback(name: string): Promise<void>;
}

/** The world around a run, helm with it. */
export interface ChartDeps extends OperatorDeps, Pick<World, "tell"> {
  readonly helm: Helm;
}

/** What the part is told. */
export interface ChartPartOptions extends ChartOptions {
  /** Helm as long as something is done with it. */
  readonly withHelm: <T>(work: (helm: Helm) => Promise<T>) => Promise<T>;
  /** What the cluster was before a whole upgrade, for what is planned after this part; absent: nothing is. */
  readonly before?: Facts;
  /** The plan tells the operator's Deployment as it is and as it would be. */
  readonly shows?: boolean;
}
