/** The objects of a scene, for the same scene in memory. */
import { getOwn, isObject, type Json, omit } from "../../plugin/domain/base/values";
import type { ControlPlane } from "./control-plane";

const kindsHere =
  "ec,edb,statefulset,pod,events,pvc,resourcequota,poddisruptionbudget,lease,deployment,replicaset";

/** What a scene in memory has to say: the code of its first cause, null where nothing stands still. */
interface Heading {
  readonly first: string | null;
  readonly laterMinutes: number;
  /** Whether it is judged otherwise so far. */
  readonly open: boolean;
}

/** JSON with an object a line, and the nodes and volumes that the scene is about. */
export async function snapshotOf(
  controlPlane: ControlPlane,
  namespace: string,
  heading: Heading,
): Promise<string> {
  const read = async (...words: readonly string[]): Promise<readonly Json[]> => {
    const { code, stdout, stderr } = await controlPlane.kubectl([
      "get",
      ...words,
      "-o",
      "json",
      "--show-managed-fields",
    ]);
    if (code !== 0) throw new Error(stderr);
    return (JSON.parse(stdout) as { readonly items: readonly Json[] }).items;
  };
  const own = await read(kindsHere, "-n", namespace);
  const around = await read("nodes,pv,volumeattachments");
  const used = new Set(own.map((object) => getOwn(getOwn(object, "spec"), "nodeName")));
  const isNear = (object: Json): boolean => {
    const name = String(getOwn(getOwn(object, "metadata"), "name"));
    return used.has(name) || name.startsWith(`${namespace}-`);
  };
  const lines = [...own, ...around.filter(isNear)].map((object) => JSON.stringify(brief(object)));
  const told = { namespace, ...heading, readAt: new Date().toISOString() };
  return `{"told":${JSON.stringify(told)},"items":[\n${lines.join(",\n")}\n]}\n`;
}

/** Who manages what is told of StatefulSets alone; the rest of a scene is not judged by it. */
function brief(object: Json): Json {
  const metadata = getOwn(object, "metadata");
  if (object["kind"] === "StatefulSet" || !isObject(metadata)) return object;
  return { ...object, metadata: omit(metadata, "managedFields") };
}
