/** Whether a release is the one that was asked for (domain facts 8: tags do not always match). */
import { compareReleaseTags, parseReleaseTag } from "../versions";

/** True for two spellings of one release: a leading v means nothing, .minimal does. */
export function isSameTag(one: string, other: string): boolean {
  const [left, right] = [parseReleaseTag(one), parseReleaseTag(other)];
  if (left === undefined || right === undefined) return bare(one) === bare(other);
  return compareReleaseTags(left, right) === 0 && left.minimal === right.minimal;
}

function bare(tag: string): string {
  return tag.replace(/^v/, "");
}
