/** Numbers of the specification in a text: for who looks them up, with -v. */

const source = String.raw`(?:[SC]\d+(?:-[SC]?\d+)?|Facts \d+(?:\.\d+)*)`;
const sources = new RegExp(String.raw` \(${source}(?:(?:, | and )${source})*\)`, "g");

/** `its cert is the CA (S27, S28)` without the numbers; documents and -v keep them. */
export function hideSources(text: string): string {
  return text.replaceAll(sources, "");
}
