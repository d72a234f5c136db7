/** A cluster out of files or a stream, as `kubectl get -o yaml` and `-o json` write them. */
import { UsageError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import { dumpFindings, findKubernetesVersion, misfitFindings } from "../../domain/facts/dump";
import { kinds } from "../../domain/kube/kinds";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import type { KubeObject } from "../../domain/kube/objects";
import { imitatedVersion, type Registry } from "../model";
import { fitObject } from "../../adapters/schema/fit";
import { complete, findLacks, findMisfits, type Source } from "./completion";
import { readObjects } from "./documents";
import { disarm, isAdmissionSecret } from "./stand-in";
import { constants } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { decodeText } from "../../adapters/kubernetes/text/encoding";
import { fileProblem } from "../../adapters/files";
import { filesBelow, type Notes } from "../../adapters/manifests";
import { getOwn } from "../../domain/base/values";

/** Where a dump is. */
export type DumpPlace =
  | { readonly folder: string }
  | { readonly file: string }
  | { readonly text: string; readonly name: string };

/** What a dump is read with. */
export interface DumpOptions {
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Definitions of the product's own kinds, for a dump that has none. */
  readonly shippedCrds: readonly CustomResourceDefinition[];
  /** Fresh, and used up: it learns the dump's custom kinds. */
  readonly registry: Registry;
  /** Of objects that name none, as `kubectl apply -n` fills it in; absent: they are refused. */
  readonly namespace?: string | undefined;
}

/** How many problems are told one by one. */
const problemLimit = 50;

/** Reads a dump; UsageError names everything that is wrong with it. */
export async function readDump(place: DumpPlace, options: DumpOptions): Promise<Source> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const notes: Notes = {
    problem: (text) => problems.push(text),
    warning: (text) => warnings.push(text),
  };
  const described = describe(place);
  const fitted = dropUntoldVersion(await readAll(place, notes)).map(fitObject);
  const read = fitted.map(({ object }) => object);
  const misfits = fitted.filter((one) => one.misfits.length > 0);
  if (read.length === 0 && problems.length === 0) notes.problem(`${described} holds no objects`);
  const objects = complete(read, { ...options, ...notes, origin: "the dump" });
  if (problems.length > 0) throw refusal(problems);
  if (!objects.some((object) => isAdmissionSecret(object, options.names))) {
    notes.warning(
      `the dump holds no Secret ${options.names.webhook.secret}: ` +
        "what needs it will stop there; add it to the dump, its values are not kept",
    );
  }
  const disarmed = await disarm(objects, { ...options, mayBeRedacted: true });
  const version = findKubernetesVersion(read);
  return {
    ...disarmed,
    warnings: [...warnings, ...disarmed.warnings],
    findings: [
      ...dumpFindings(read, options.names, imitatedVersion),
      ...misfitFindings(misfits, options.names),
    ],
    ...(version !== undefined && { version }),
    described,
    lacks: findLacks(read, options),
    misfits: findMisfits(misfits, options),
  };
}

function describe(place: DumpPlace): string {
  if ("folder" in place) return `folder ${place.folder}`;
  return "file" in place ? `file ${place.file}` : place.name;
}

/** A dump with the definition of OpenShift's version and without the version does not report it. */
function dropUntoldVersion(objects: readonly KubeObject[]): readonly KubeObject[] {
  const { kind: version, plural, group } = kinds.clusterVersion;
  if (objects.some(({ kind }) => kind === version)) return objects;
  return objects.filter(({ metadata }) => metadata.name !== `${plural}.${group}`);
}

/** One text after the other, so that no two are in memory. */
async function readAll(place: DumpPlace, notes: Notes): Promise<readonly KubeObject[]> {
  const reading = { ...notes, inFolder: "folder" in place };
  if ("text" in place) return objectsIn(place.text, place.name, reading);
  const paths = "file" in place ? [place.file] : await filesBelow(place.folder, notes);
  const objects: KubeObject[] = [];
  for (const path of paths) {
    const text = await readText(path, notes);
    for (const object of objectsIn(text ?? "", `file ${path}`, reading)) objects.push(object);
  }
  return objects;
}

function objectsIn(
  text: string,
  name: string,
  { inFolder, ...notes }: Notes & { readonly inFolder: boolean },
): readonly KubeObject[] {
  const isYaml = !/^\s*[{[]/.test(text.slice(0, 1024)) && text !== "";
  if (isYaml && !/[\n\r]\s*$/.test(text.slice(-256))) {
    notes.warning(`${name} ends in the middle of a line: it may be cut off`);
  }
  return readObjects(text, name, {
    problem: notes.problem,
    ...(inFolder && { passOver: notes.warning }),
  });
}

function refusal(problems: readonly string[]): UsageError {
  const shown = problems.slice(0, problemLimit);
  const rest = problems.length - shown.length;
  return new UsageError(rest === 0 ? shown : [...shown, `and ${rest} more problems`], {
    hint: "correct the dump, or write it again with kubectl get -o yaml",
  });
}

/** What a file may weigh: Node holds no longer text in one string. */
const sizeLimit = constants.MAX_STRING_LENGTH;
/** The text of a file; undefined after naming the problem. */
async function readText(path: string, { problem }: Notes): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > sizeLimit) {
      problem(
        `file ${path} is too long (${size} bytes, the limit is ${sizeLimit}): ` +
          "split it, for example one file for each kind",
      );
      return undefined;
    }
    return decodeText(await readFile(path), true);
  } catch (error) {
    problem(
      getOwn(error, "code") === "ERR_ENCODING_INVALID_ENCODED_DATA"
        ? `file ${path} is not a text in UTF-8: write it again with kubectl get -o yaml`
        : fileProblem(path, error),
    );
    return undefined;
  }
}
