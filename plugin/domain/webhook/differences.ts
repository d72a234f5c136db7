/** Where a live configuration differs from the wanted one; no difference means no write. */
import type { KubeObject } from "../objects";
import { own, sameJson } from "../values";
import { entriesOf } from "./configuration";

/**
 * The paths at which the live object is not as wanted, in order. Labels and annotations are
 * compared where the wanted object names them, the entries of the wanted names as a whole.
 */
export function differencesOf(live: unknown, wanted: KubeObject): readonly string[] {
  const metadata = ["labels", "annotations"].flatMap((part) => {
    const [found, expected] = [live, wanted].map((object) => own(own(object, "metadata"), part));
    const keys = keysApart(found, expected, Object.keys(expected ?? {}));
    return keys.map((key) => `metadata.${part}[${key}]`);
  });
  const entries = entriesOf(wanted).flatMap((entry) => {
    const name = String(own(entry, "name"));
    const path = `webhooks[name=${name}]`;
    const found = entriesOf(live).find((item) => own(item, "name") === name);
    if (found === undefined) return [path];
    const keys = [...new Set([...Object.keys(entry), ...Object.keys(found)])].sort();
    return keysApart(found, entry, keys).flatMap((key) => {
      if (key !== "clientConfig") return [`${path}.${key}`];
      const inner = keysApart(own(found, key), own(entry, key), ["caBundle", "service", "url"]);
      return inner.map((one) => `${path}.clientConfig.${one}`);
    });
  });
  return [...metadata, ...entries];
}

/** The keys whose values differ. */
function keysApart(live: unknown, wanted: unknown, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !sameJson(own(live, key), own(wanted, key)));
}
