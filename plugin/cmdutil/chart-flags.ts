/**
 * The flags of an upgrade by chart that are helm's own: one table says what helm calls each, what it is about, and
 * how its value is read.
 */
import type { HelmFlag } from "../domain/operator/refusals";
import { type FlagReader, type FlagTable, flagTable } from "./flags";

/** The value names a file, or is KEY=FILE: the file is read once, before anything starts. */
export type HelmReads = "file" | "keyed file";

/** What helm makes of a flag. */
interface HelmsOwn {
  readonly of: HelmFlag["of"];
  /** Absent: as this program calls it. */
  readonly flag?: string;
  /** Absent: as text, where it has a value. */
  readonly reads?: HelmReads;
}

/** All of them are read together, by `readHelmFlags`: no option is made of one. */
const helms = { goesWith: "chart", read: () => undefined } as const;
const repeated = { ...helms, repeat: true } as const;
const secretsElsewhere = "a secret belongs in --values, since others see the words of a program";

/** Under the names that helm has, except where kubectl has the same name for something else. */
export const chartFlags = flagTable({
  set: {
    ...repeated,
    value: "KEY=VALUE",
    help: `Values as helm's --set takes them; ${secretsElsewhere}; may be repeated`,
  },
  "set-string": {
    ...repeated,
    value: "KEY=VALUE",
    help: "As --set, and each value is a text; may be repeated",
  },
  "set-json": {
    ...repeated,
    value: "KEY=JSON",
    help: "As --set, and each value is JSON; may be repeated",
  },
  "set-file": {
    ...repeated,
    keyed: true,
    value: "KEY=FILE",
    help: "A value that is the content of a file; - is stdin; one key each; may be repeated",
  },
  "reset-then-reuse-values": {
    ...helms,
    help: "The chart's own values, then those given so far, then those given now: this is the default",
  },
  "reuse-values": {
    ...helms,
    help: "The values of the last revision, whatever the chart's own are now, then those given now",
  },
  "reset-values": {
    ...helms,
    help: "The chart's own values, then those given now: what was given so far is forgotten",
  },
  "post-renderer": {
    value: "PROGRAM",
    ...helms,
    file: true,
    help: "Program that helm pipes each render through; helm 4 takes the name of a plugin",
  },
  "post-renderer-args": {
    ...repeated,
    value: "ARG",
    goesWith: "post-renderer",
    help: "Argument of --post-renderer; may be repeated",
  },
  "skip-crds": { ...helms, help: "Helm's own --skip-crds" },
  repo: {
    value: "URL",
    ...helms,
    help: "Repository of the chart, whose name alone is then --chart",
  },
  "plain-http": { ...helms, help: "Get the chart over HTTP without TLS" },
  "ca-file": {
    value: "FILE",
    ...helms,
    file: true,
    help: "Certificate authorities of the server that has the chart",
  },
  "chart-insecure-skip-tls-verify": {
    ...helms,
    help: "Helm's own --insecure-skip-tls-verify, for the server that has the chart",
  },
  "registry-config": {
    value: "FILE",
    ...helms,
    file: true,
    help: "Logins of registries, as helm registry login writes them",
  },
  "repository-config": {
    value: "FILE",
    ...helms,
    file: true,
    help: "Names and addresses of chart repositories, as helm repo add writes them",
  },
  "repository-cache": {
    value: "FOLDER",
    ...helms,
    file: true,
    help: "Folder with the indexes of chart repositories",
  },
});

/** Of every flag above, what helm makes of it. */
const helmsOwn: Readonly<Record<keyof typeof chartFlags, HelmsOwn>> = {
  set: { of: "written" },
  "set-string": { of: "written" },
  "set-json": { of: "written" },
  "set-file": { of: "written", reads: "keyed file" },
  "reset-then-reuse-values": { of: "kept" },
  "reuse-values": { of: "kept" },
  "reset-values": { of: "kept" },
  "post-renderer": { of: "written" },
  "post-renderer-args": { of: "written" },
  "skip-crds": { of: "written" },
  repo: { of: "source" },
  "plain-http": { of: "source" },
  "ca-file": { of: "source", reads: "file" },
  "chart-insecure-skip-tls-verify": { of: "source", flag: "insecure-skip-tls-verify" },
  "registry-config": { of: "source", reads: "file" },
  "repository-config": { of: "source", reads: "file" },
  "repository-cache": { of: "source" },
};

/** A flag of helm's as it was typed. */
export interface TypedFlag extends HelmFlag {
  /** As this program calls it. */
  readonly name: string;
  readonly reads?: HelmReads;
}

/** The flags of helm's that were typed, those of one name in their order. */
export function readHelmFlags(read: FlagReader): readonly TypedFlag[] {
  const kept = Object.entries(helmsOwn).flatMap(([name, { of }]) => (of === "kept" ? name : []));
  read.requireOne(...kept);
  const table: FlagTable = chartFlags;
  return Object.entries(helmsOwn).flatMap(([name, { flag = name, of, reads }]) => {
    if (table[name]?.value === undefined) return read.on(name) ? [{ name, flag, of }] : [];
    const texts = table[name].repeat === true ? read.eachFilled(name) : [read.text(name)];
    return texts.flatMap((text) =>
      text === undefined ? [] : [{ name, flag, of, text, ...(reads && { reads }) }],
    );
  });
}

/** The words that they were typed with. */
export function typedWords(given: readonly TypedFlag[] = []): readonly string[] {
  return given.flatMap(({ name, text }) => [`--${name}`, ...(text === undefined ? [] : [text])]);
}

/** The parts of a flag whose value is KEY=FILE; undefined for any other, and for what is none. */
export function readKeyed({
  reads,
  text = "",
}: Pick<TypedFlag, "reads" | "text">): Keyed | undefined {
  return reads === "keyed file" ? splitKeyed(text) : undefined;
}

interface Keyed {
  readonly key: string;
  readonly file: string;
}

/** A key may hold the sign after a backslash, and helm takes several where commas separate them. */
function splitKeyed(text: string): Keyed | undefined {
  const [, key, file] = /^((?:\\.|[^\\=,])+)=((?:\\.|[^\\,])+)$/s.exec(text) ?? [];
  if (key === undefined || file === undefined) return undefined;
  return { key, file: file.replaceAll(/\\(.)/gs, "$1") };
}

/** KEY=FILE as helm reads it. */
export function joinKeyed(key: string, file: string): string {
  return `${key}=${file.replaceAll(/[\\,]/g, "\\$&")}`;
}
