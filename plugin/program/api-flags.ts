/** The flags of the cluster's REST API: data, and how they are read. */
import type { ApiFlags } from "../commands/api-options";
import type { FlagSpec } from "../commands/standard-flags";
import type { FlagReader } from "./values";

/** The flags, for every command that asks the REST API. */
export const apiFlags: readonly FlagSpec[] = [
  {
    name: "api-url",
    value: "URL",
    help: "Address of the cluster's REST API; else its Service in a pod, or a port of its pods",
  },
  {
    name: "api-ca",
    value: "FILE",
    file: true,
    help: "CA certificate that the REST API's must fit",
  },
  {
    name: "api-credentials-secret",
    value: "NAME",
    help: "Secret with user name and password; else the one that the EC names",
  },
  {
    name: "api-insecure",
    help: "Accept any certificate of the REST API; others can then read the credentials",
  },
];

/** The flags, judged. */
export function readApi(read: FlagReader): ApiFlags {
  const url = read.text("api-url");
  const ca = read.text("api-ca");
  const credentialsSecret = read.text("api-credentials-secret");
  const insecure = read.on("api-insecure");
  if (url !== undefined && !isAddress(url)) {
    read.problems.push("--api-url: give an address as https://host:port, without path or login");
  }
  if (insecure && ca !== undefined) {
    read.problems.push("--api-ca and --api-insecure contradict each other: give one of the two");
  }
  return {
    ...(url !== undefined && { url }),
    ...(ca !== undefined && { ca }),
    ...(credentialsSecret !== undefined && { credentialsSecret }),
    insecure,
  };
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  const more = [username, password, search, hash].join("");
  return protocol === "https:" && hostname !== "" && pathname === "/" && more === "";
}
