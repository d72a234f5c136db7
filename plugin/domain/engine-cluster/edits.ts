/** Which fields of an EC an upgrade writes (S48-S51). */
import type { Names } from "../names/names";
import type { KubeObject } from "../kube/objects";
import { getPath, isObject } from "../base/values";
import { autoOffEdits } from "./fields";
import type { helperTags } from "./helper-images";
import { type FieldEdit, fieldEdits } from "../kube/edits";

/** What is asked for. */
export interface ClusterWish {
  /** The tag to write; with `auto` the one that the operator is expected to bring. */
  readonly tag?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly repository?: string;
}

/** The pull policy that is written where there is none: it is required beside a tag (S48). */
export const usualPullPolicy = "IfNotPresent";

/** Where the automatic upgrade is written, and whether it has to be switched off (S51). */
export interface AutoPlan {
  /** Undefined where the definition has no such field. */
  readonly path: readonly string[] | undefined;
  readonly off: boolean;
}

/** The fields that differ from what is asked for; none when the EC is up to date. */
export function planEdits(
  ec: KubeObject,
  wish: ClusterWish,
  {
    names,
    auto,
    helpers,
  }: {
    readonly names: Names;
    readonly auto: AutoPlan;
    readonly helpers: ReturnType<typeof helperTags>;
  },
): readonly FieldEdit[] {
  const { versionTag, imagePullPolicy, repository } = names.ecFields;
  const specced = isObject(getPath(ec, versionTag.slice(0, -1)));
  const manual = !wish.auto;
  // with a tag or a repository the image spec is there, and then it needs a pull policy
  const spec = manual || wish.repository !== undefined || specced;
  const policy = getPath(ec, imagePullPolicy) ?? (spec ? usualPullPolicy : undefined);
  const wanted: readonly (readonly [readonly string[], unknown])[] = [
    ...(manual ? [[versionTag, wish.tag] as const] : []),
    [imagePullPolicy, wish.imagePullPolicy ?? policy],
    [repository, wish.repository],
    ...helpers,
    ...(wish.auto && auto.path !== undefined ? [[auto.path, true] as const] : []),
    ...(auto.off ? autoOffEdits(ec, names).map(({ path, to }) => [path, to] as const) : []),
  ];
  return fieldEdits(
    ec,
    wanted.filter(([, to]) => to !== undefined),
  );
}
