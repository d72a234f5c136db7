/** The flags of a release: data, and how they are read. */
import type { ReleaseFlags } from "../commands/context";
import type { FlagSpec } from "../commands/standard-flags";
import type { FlagReader } from "./values";

/** The flags of a release, for every command that takes one. */
export const releaseFlags: readonly FlagSpec[] = [
  {
    name: "release",
    value: "SOURCE",
    file: true,
    help: "Release: a folder, a .tar.gz, or an https URL, which may hold {tag}",
  },
  { name: "sha256", value: "HEX", help: "SHA-256 that the release must have; reports show it" },
  {
    name: "target",
    value: "TAG",
    help: "Release asked for, as 7.22.0-7: fills {tag}, and is checked",
  },
];

/** The flags of a release, judged; those beside it mean nothing without it. */
export function readRelease(read: FlagReader): ReleaseFlags {
  const release = read.text("release");
  const sha256 = read.text("sha256");
  const target = read.tag("target", "7.22.0-7");
  for (const name of ["sha256", "target"].filter((each) => read.given(each))) {
    if (!read.given("release")) read.missing.push(`--${name}: goes with --release`);
  }
  return {
    ...(release !== undefined && { release }),
    ...(sha256 !== undefined && { sha256 }),
    ...(target !== undefined && { target }),
  };
}
