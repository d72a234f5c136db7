/** The files that somebody needs to call the played service: for their owner alone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../adapters/temporary";
import type { ApiUser } from "./model";

/** What is written. */
export interface CredentialsWish {
  /** Absent: the machine's folder for what is temporary. */
  readonly home?: string | undefined;
  readonly caPem: string;
  readonly host: string;
  readonly user: ApiUser;
}

/** Where it is, gone with the service. */
export interface CredentialsFolder {
  readonly ca: string;
  readonly password: string;
  /** As curl reads it, so that no password stands in a command. */
  readonly netrc: string;
  remove(): void;
}

/** Writes the certificate, the password, and both credentials for curl. */
export function writeCredentials({ home, caPem, host, user }: CredentialsWish): CredentialsFolder {
  if (home !== undefined) mkdirSync(home, { recursive: true, mode: 0o700 });
  const { path: root, remove } = temporaryFolder(home);
  const write = (name: string, content: string): string => {
    const file = join(root, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  return {
    ca: write("ca.pem", caPem),
    password: write("password", user.password),
    netrc: write("netrc", `machine ${host} login ${user.name} password ${user.password}\n`),
    remove,
  };
}
