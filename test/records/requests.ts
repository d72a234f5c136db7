/**
 * What a run asks of a cluster, as text. Writes and dry runs stand in their order, each with method,
 * path, precondition and body; what is read between two of them is kept once, sorted: how often
 * something is looked at while it is waited for is no behavior.
 */
import { collectionPath, objectPath } from "../../plugin/adapters/kubernetes/kinds";
import { ApiError } from "../../plugin/domain/base/errors";
import { type KubeObject, type Ref, refTo, type Resource } from "../../plugin/domain/kube/objects";
import { getPath, isObject, omit } from "../../plugin/domain/base/values";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { Access, KubeClient, Preconditions } from "../../plugin/ports/kubernetes";
import { digestOf, type Fields, fieldsOf, toldChanges, toldFields } from "./fields";

/** An object of a file that runs are given. */
export interface FileObject {
  readonly file: string;
  readonly object: KubeObject;
  readonly fields: Fields;
}

/** A write or a dry run; `answer` is the error that came back. */
interface Write {
  readonly line: string;
  /** Where it goes: the next one to the same place is told by what differs. */
  readonly path: string;
  readonly precondition: Preconditions;
  readonly body?: unknown;
  answer?: string;
}

const registry = createRegistry();

/** Keeps what is asked of a cluster. */
export class Requests {
  private readonly all: (Write | readonly string[])[] = [];
  private readonly reads = new Set<string>();
  private readonly rights = new Map<string, Set<string>>();

  /** `files` are those that bodies may be taken from. */
  constructor(private readonly files: readonly FileObject[]) {}

  /** The text, a request a line, under a write what it carries. */
  lines(): readonly string[] {
    this.endReads();
    const sent = new Map<string, Fields>();
    return this.all.flatMap((one) => ("path" in one ? this.toldWrite(one, sent) : one));
  }

  /** Writes and dry runs without what they carry. */
  writes(): readonly string[] {
    return this.all.flatMap((one) => ("path" in one ? [one.line, ...toldAnswer(one)] : []));
  }

  /** The cluster, with every request kept. */
  of(cluster: KubeClient): KubeClient {
    const read = (line: string): void => {
      this.reads.add(line);
    };
    const write = <T>(wish: Write, send: () => Promise<T>): Promise<T> => this.pass(wish, send);
    return {
      server: cluster.server,
      namespace: cluster.namespace,
      get: (ref, options) => {
        read(`GET ${objectPath(ref)}`);
        return cluster.get(ref, options);
      },
      list: (resource, options = {}) => {
        const { namespace, ...others } = options;
        read(`LIST ${collectionPath(resource, namespace)}${toldOptions(others)}`);
        return cluster.list(resource, options);
      },
      watch: (resource, options) => {
        const { namespace, ...others } = omit({ ...options }, "resourceVersion");
        read(`WATCH ${collectionPath(resource, namespace)}${toldOptions(others)}`);
        return cluster.watch(resource, options);
      },
      logs: async (pod, options) => {
        read(`GET ${objectPath(pod)}/log${toldOptions(options)}`);
        return cluster.logs?.(pod, options);
      },
      create: (object, options) => {
        const ref = refOf(object);
        const path = collectionPath(ref.resource, ref.namespace);
        if (!object.apiVersion.startsWith("authorization.k8s.io/"))
          return write(aWrite(["POST", path], options, object), () =>
            cluster.create(object, options),
          );
        read(`POST ${path}`);
        return cluster.create(object, options);
      },
      update: (object, options) =>
        write(aWrite(["PUT", objectPath(refOf(object))], options, object), () =>
          cluster.update(object, options),
        ),
      apply: (object, options) =>
        write(
          aWrite(["PATCH", objectPath(refOf(object))], { type: "apply", ...options }, object),
          () => cluster.apply(object, options),
        ),
      patch: (ref, body, options) =>
        write(aWrite(["PATCH", objectPath(ref)], options, body), () =>
          cluster.patch(ref, body, options),
        ),
      delete: (ref, preconditions, options) =>
        write(
          { ...aWrite(["DELETE", objectPath(ref)], options), precondition: preconditions },
          () => cluster.delete(ref, preconditions, options),
        ),
      can: (access) => {
        this.mayAsk(access);
        return cluster.can(access);
      },
      whoAmI: () => {
        read("POST /apis/authentication.k8s.io/v1/selfsubjectreviews");
        return cluster.whoAmI();
      },
      version: () => {
        read("GET /version");
        return cluster.version();
      },
      serves: (group, version) => {
        read(`GET /apis/${group}/${version}`);
        return cluster.serves(group, version);
      },
      close: () => {
        cluster.close();
      },
    };
  }

  private async pass<T>(wish: Write, send: () => Promise<T>): Promise<T> {
    this.endReads();
    this.all.push(wish);
    try {
      return await send();
    } catch (error) {
      wish.answer = error instanceof ApiError ? String(error.status) : String(error);
      throw error;
    }
  }

  private mayAsk({ verb, group, resource, subresource, namespace, name }: Access): void {
    const kind = [resource, group].filter(Boolean).join(".");
    const within = subresource === undefined ? kind : `${kind}/${subresource}`;
    const where = namespace === undefined ? "" : ` in ${namespace}`;
    const line = `${within}${name === undefined ? "" : ` ${name}`}${where}`;
    this.rights.set(line, (this.rights.get(line) ?? new Set()).add(verb));
  }

  private endReads(): void {
    const rights = [...this.rights].map(
      ([what, verbs]) => `  may ${[...verbs].sort().join(",")} ${what}`,
    );
    this.all.push([...rights.sort(), ...[...this.reads].sort().map((line) => `  ${line}`)]);
    this.reads.clear();
    this.rights.clear();
  }

  private toldWrite(write: Write, sent: Map<string, Fields>): readonly string[] {
    const { line, path, precondition, body } = write;
    const bound = toldOptions(precondition);
    const told = body === undefined ? [] : this.toldBody(path, body, sent);
    return [
      line,
      ...(bound === "" ? [] : [`    only if${bound}`]),
      ...told.map((each) => `    ${each}`),
      ...toldAnswer(write),
    ];
  }

  /** By what differs from the last one to the same place, else from the object of a file. */
  private toldBody(path: string, body: unknown, sent: Map<string, Fields>): readonly string[] {
    const fields = fieldsOf(body);
    const last = sent.get(path);
    sent.set(path, fields);
    const changes = last === undefined ? undefined : toldChanges(last, fields);
    if (changes?.length === 0) return ["as sent before"];
    const ways = [
      toldFields(fields),
      ...(changes === undefined ? [] : [["as sent before, but:", ...changes]]),
      ...this.toldByFile(body, fields),
    ];
    return ways.reduce((shortest, way) => (way.length < shortest.length ? way : shortest));
  }

  private toldByFile(body: unknown, fields: Fields): readonly (readonly string[])[] {
    const isOf = ({ object: { kind, metadata } }: FileObject): boolean =>
      getPath(body, ["kind"]) === kind && getPath(body, ["metadata", "name"]) === metadata.name;
    return this.files.filter(isOf).map((one) => {
      const changes = toldChanges(one.fields, fields);
      const source = `as ${one.file} has it (${digestOf(one.fields)})`;
      return [changes.length === 0 ? source : `${source}, but:`, ...changes];
    });
  }
}

function toldAnswer({ answer }: Write): readonly string[] {
  return answer === undefined ? [] : [`    ANSWER: ${answer}`];
}

/** The body without what binds it to the object that was read: that is its precondition. */
function aWrite(
  line: readonly [method: string, path: string],
  options = {},
  sent?: unknown,
): Write {
  const [method, path] = line;
  const { body, precondition } = unbound(sent);
  return { line: `${method} ${path}${toldOptions(options)}`, path, precondition, body };
}

function unbound(body: unknown): Pick<Write, "body" | "precondition"> {
  const metadata = getPath(body, ["metadata"]);
  if (!isObject(body) || !isObject(metadata)) return { body, precondition: {} };
  const { uid, resourceVersion, ...others } = metadata as Preconditions & object;
  const precondition = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { body: { ...body, metadata: others }, precondition };
}

/** The kinds that a probe sends, which no registry knows without their definitions. */
function findProbed({ apiVersion, kind }: KubeObject): Resource | undefined {
  const { group } = names;
  const found = [names.edb, names.eaadb, names.erc].find((one) => one.kind === kind);
  const [, version = ""] = apiVersion.split("/");
  return found && { group, version, plural: found.plural, kind };
}

function refOf(object: KubeObject): Ref {
  const resource = registry.byKind(object.apiVersion, object.kind)?.resource ?? findProbed(object);
  if (resource === undefined) throw new Error(`no kind ${object.apiVersion} ${object.kind}`);
  return refTo(resource, object);
}

/** In the order of the alphabet; false says the same as nothing. */
function toldOptions(options: object): string {
  const told = Object.entries(options).filter(
    ([, value]) => value !== false && !["object", "function", "undefined"].includes(typeof value),
  );
  return told
    .sort()
    .map(([key, value]) => ` ${key}=${String(value)}`)
    .join("");
}
