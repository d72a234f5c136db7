/** Where a live configuration differs from the wanted one; no difference means no write. */
import type { KubeObject } from "../objects";
import { type Json, own, sameJson } from "../values";
import { entriesOf } from "./configuration";

/**
 * The paths at which the live object is not as wanted, in order. Labels and annotations are
 * compared where the wanted object names them, the entries of the wanted names as a whole.
 */
export function differencesOf(live: unknown, wanted: KubeObject): readonly string[] {
  const metadata = own(live, "metadata");
  return [
    ...mapDifferences("metadata.labels", own(metadata, "labels"), wanted.metadata.labels),
    ...mapDifferences(
      "metadata.annotations",
      own(metadata, "annotations"),
      wanted.metadata.annotations,
    ),
    ...entriesOf(wanted).flatMap((entry) => {
      const name = String(own(entry, "name"));
      const found = entriesOf(live).find((item) => own(item, "name") === name);
      return found === undefined
        ? [`webhooks[name=${name}]`]
        : entryDifferences(`webhooks[name=${name}]`, found, entry);
    }),
  ];
}

function mapDifferences(
  path: string,
  live: unknown,
  wanted: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return Object.entries(wanted ?? {})
    .filter(([key, value]) => own(live, key) !== value)
    .map(([key]) => `${path}[${key}]`);
}

function entryDifferences(path: string, live: Json, wanted: Json): readonly string[] {
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(live)])].sort();
  return keys.flatMap((key) => {
    if (key === "clientConfig") {
      return clientDifferences(`${path}.clientConfig`, own(live, key), own(wanted, key));
    }
    return sameJson(own(live, key), own(wanted, key)) ? [] : [`${path}.${key}`];
  });
}

function clientDifferences(path: string, live: unknown, wanted: unknown): readonly string[] {
  return ["caBundle", "service", "url"]
    .filter((key) => !sameJson(own(live, key), own(wanted, key)))
    .map((key) => `${path}.${key}`);
}
