/** Impersonate-* headers. */
import { type OutgoingHttpHeaders, validateHeaderValue } from "node:http";
import { UsageError } from "../../domain/errors";
import { list, text } from "../../domain/values";
import type { Impersonation } from "./kubeconfig-entries";

/** The headers that ask the server to act as somebody else. */
export function impersonationHeaders(whom: Impersonation): OutgoingHttpHeaders {
  const { as, asUid, asGroups = [], asExtra = {} } = whom;
  const extra = Object.entries(asExtra).map(([key, values]): [string, string[]] => [
    `Impersonate-Extra-${encodeURIComponent(key.toLowerCase())}`,
    list(values).flatMap((value) => text(value) ?? []),
  ]);
  const headers: [string, string[]][] = [
    ["Impersonate-User", as === undefined ? [] : [as]],
    ["Impersonate-Uid", asUid === undefined ? [] : [asUid]],
    ["Impersonate-Group", [...asGroups]],
    ...extra,
  ];
  const given = headers.filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [name, values.map(carried)]));
}

/** Header bytes are UTF-8, as Go sends them; control characters no header can carry. */
function carried(value: string): string {
  const bytes = Buffer.from(value, "utf8").toString("latin1");
  try {
    validateHeaderValue("Impersonate", bytes);
  } catch {
    throw new UsageError("a user, uid or group to impersonate holds control characters");
  }
  return bytes;
}
