/** A person's own permissions in a copy of their cluster: the live API server is asked for them. */
import { ApiError } from "../domain/errors";
import type { Access, Cluster } from "../run/ports";
import { type ObservedCall, type CallTarget, type Gate, ObservedCluster } from "./observed-cluster";

/** Answers as the live cluster does: roles are not read, and other authorizers count as well. */
export type Can = (access: Access) => Promise<boolean>;

/** The copy as this person may use it; `copy` itself is an administrator's connection. */
export class LiveRightsCluster extends ObservedCluster {
  constructor(
    copy: Cluster,
    private readonly allowed: Can,
    private readonly user: string,
  ) {
    super(copy, gateOf(copy, allowed, user));
  }

  override can(access: Access): Promise<boolean> {
    return this.allowed(access);
  }

  override whoAmI(): Promise<string> {
    return Promise.resolve(this.user);
  }
}

const verbs: Readonly<Record<ObservedCall["verb"], readonly string[]>> = {
  get: ["get"],
  list: ["list"],
  watch: ["watch"],
  create: ["create"],
  update: ["update"],
  // an apply of what does not exist asks for create as well
  apply: ["patch"],
  patch: ["patch"],
  delete: ["delete"],
  ask: [],
};

function gateOf(copy: Cluster, allowed: Can, user: string): Gate {
  return async (call, send) => {
    const { target } = call;
    if (target !== undefined) {
      const access = await accessOf(copy, target);
      for (const verb of await verbsOf(copy, call, access)) {
        const { name, ...collection } = access;
        const asked = { ...(verb === "create" ? collection : access), verb };
        if (!(await allowed(asked))) throw forbidden(asked, user, name);
      }
    }
    return await send();
  };
}

async function verbsOf(
  copy: Cluster,
  call: ObservedCall,
  access: Omit<Access, "verb">,
): Promise<readonly string[]> {
  const { target } = call;
  if (call.verb !== "apply" || target === undefined) return verbs[call.verb];
  const resource = { ...target, plural: access.resource };
  const found = await copy.get({ ...target, resource, name: target.name ?? "" });
  return found === undefined ? [...verbs.apply, "create"] : verbs.apply;
}

async function accessOf(copy: Cluster, target: CallTarget): Promise<Omit<Access, "verb">> {
  const { group, version, kind, name, namespace } = target;
  const served = target.plural === undefined ? await copy.serves(group, version) : undefined;
  const found = served?.find((one) => one.kind === kind)?.plural;
  return {
    group,
    resource: target.plural ?? found ?? `${kind.toLowerCase()}s`,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

function forbidden(access: Access, user: string, name: string | undefined): ApiError {
  const { verb, group, resource, namespace } = access;
  const what = group === "" ? resource : `${resource}.${group}`;
  const where =
    namespace === undefined
      ? "at the cluster scope"
      : `in the namespace ${JSON.stringify(namespace)}`;
  return new ApiError(
    `${what} ${name === undefined ? "" : `${JSON.stringify(name)} `}is forbidden: User ${JSON.stringify(user)} ` +
      `cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`,
    { status: 403, reason: "Forbidden" },
  );
}
