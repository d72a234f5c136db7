/**
 * A pod's container as a kubelet gives it to runc: the stored pod spec and the image's own settings
 * become a runtime configuration. What a kubelet refuses is refused in its words, and so is what is
 * not played here, since a container without it would prove nothing.
 */
import { readFileSync } from "node:fs";
import type { ImageConfig } from "./layout";

export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsNonRoot?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: { readonly type: string };
}

export interface Probe {
  readonly httpGet: {
    readonly path: string;
    readonly port: string | number;
    readonly scheme?: string;
  };
  readonly timeoutSeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
  }[];
  readonly resources?: { readonly limits?: { readonly memory?: string } };
  readonly securityContext?: SecurityContext;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface SecretVolume {
  readonly secretName: string;
  readonly defaultMode?: number;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

export interface Volume {
  readonly name: string;
  readonly secret?: SecretVolume;
  readonly emptyDir?: object;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: SecurityContext;
}

/** What of a container comes from neither the pod nor the image. */
export interface Given {
  readonly id: string;
  readonly rootfs: string;
  /** The user that a cluster's policy chooses for the namespace; without it the image's own. */
  readonly uid?: number;
  /** Where each volume of files lies, by its name. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Folders that no volume of the spec names: path in the container, path here. */
  readonly binds?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Values of `fieldRef`, by path. */
  readonly fields?: Readonly<Record<string, string>>;
}

interface Mount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

const tmpfs = (destination: string, ...options: readonly string[]): Mount => ({
  destination,
  type: "tmpfs",
  source: "tmpfs",
  options: ["nosuid", ...options],
});

/** The whole `config.json` of the pod's one container. */
export function runtimeConfig(pod: PodSpec, image: ImageConfig["config"], given: Given): object {
  const [container, ...more] = pod.containers;
  if (container === undefined || more.length > 0) throw new Error("pods of one container only");
  const security = { ...pod.securityContext, ...container.securityContext };
  expectNoCapability(container.name, security);
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid: userOf(container.name, security, given.uid ?? image.User), gid: 0 },
      args: commandOf(container, image),
      env: [...(image.Env ?? []), ...environmentOf(container, given)],
      cwd: image.WorkingDir ?? "/",
      noNewPrivileges: security.allowPrivilegeEscalation === false,
      capabilities: {},
    },
    root: { path: given.rootfs, readonly: security.readOnlyRootFilesystem === true },
    hostname: given.id,
    mounts: [
      {
        destination: "/proc",
        type: "proc",
        source: "proc",
        options: ["nosuid", "noexec", "nodev"],
      },
      tmpfs("/dev", "mode=755", "size=64k"),
      ...mountsOf(pod, container, given),
    ],
    linux: {
      cgroupsPath: `/${given.id}`,
      // without a network of its own: the API server that it calls listens on loopback
      namespaces: ["pid", "ipc", "uts", "mount"].map((type) => ({ type })),
      maskedPaths: ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
      readonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
      ...limitsOf(container),
      ...(security.seccompProfile?.type === "RuntimeDefault" && { seccomp: runtimeDefault() }),
    },
  };
}

function expectNoCapability(name: string, { capabilities }: SecurityContext): void {
  if (capabilities?.add === undefined && capabilities?.drop?.join() === "ALL") return;
  throw new Error(`${name}: only a container that drops ALL capabilities is played`);
}

/** As a kubelet verifies `runAsNonRoot`, with its messages; the user is the image's or a policy's. */
function userOf(
  name: string,
  { runAsUser, runAsNonRoot = false }: SecurityContext,
  otherwise: number | string = 0,
): number {
  const [user = ""] = String(runAsUser ?? otherwise).split(":");
  const problem = runAsNonRoot && whyRoot(user, runAsUser !== undefined);
  if (typeof problem === "string") throw new Error(`${name}: ${problem}`);
  return Number(user);
}

function whyRoot(user: string, fromSpec: boolean): string | undefined {
  if (!/^\d*$/.test(user)) {
    return `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`;
  }
  if (Number(user) !== 0) return undefined;
  return fromSpec
    ? "container's runAsUser breaks non-root policy"
    : "container has runAsNonRoot and image will run as root";
}

function limitsOf({ resources }: Container): object {
  const memory = resources?.limits?.memory;
  return memory === undefined ? {} : { resources: { memory: { limit: bytesOf(memory) } } };
}

/** A command takes the place of the entry point and of its arguments, arguments of those alone. */
function commandOf({ command, args }: Container, image: ImageConfig["config"]): readonly string[] {
  if (command !== undefined) return [...command, ...(args ?? [])];
  return [...(image.Entrypoint ?? []), ...(args ?? image.Cmd ?? [])];
}

function environmentOf({ env = [] }: Container, given: Given): readonly string[] {
  const own = env.map(({ name, value = "", valueFrom }) => {
    if (valueFrom === undefined) return [name, value];
    const path = valueFrom.fieldRef?.fieldPath ?? "";
    const found = given.fields?.[path];
    if (found === undefined) throw new Error(`${name}: only fields of the pod are played: ${path}`);
    return [name, found];
  });
  return [...Object.entries(given.env ?? {}), ...own].map(
    ([name, value]) => `${String(name)}=${String(value)}`,
  );
}

function mountsOf({ volumes = [] }: PodSpec, container: Container, given: Given): readonly Mount[] {
  const bind = (destination: string, source: string, options: readonly string[]): Mount => ({
    destination,
    type: "bind",
    source,
    options: ["bind", "nosuid", "nodev", ...options],
  });
  const own = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly, subPath }) => {
    const volume = volumes.find((each) => each.name === name);
    const folder = given.folders?.[name];
    if (subPath !== undefined) throw new Error(`${mountPath}: subPath is not played`);
    if (volume?.emptyDir !== undefined) return tmpfs(mountPath, "nodev", "mode=777");
    if (folder === undefined) throw new Error(`${mountPath}: no such volume is played: ${name}`);
    return bind(mountPath, folder, readOnly === true ? ["ro"] : ["rw"]);
  });
  return [...own, ...Object.entries(given.binds ?? {}).map(([to, from]) => bind(to, from, ["ro"]))];
}

function bytesOf(quantity: string): number {
  const [, number = "", unit = ""] = /^(\d+)(Ki|Mi|Gi)?$/.exec(quantity) ?? [];
  return Number(number) * 1024 ** ["", "Ki", "Mi", "Gi"].indexOf(unit);
}

interface SyscallRule {
  readonly names: readonly string[];
  readonly includes?: RuleScope;
  readonly excludes?: RuleScope;
  readonly action: string;
  readonly args?: readonly object[] | null;
  readonly errnoRet?: number;
}

interface RuleScope {
  readonly caps?: readonly string[];
  readonly arches?: readonly string[];
}

export const seccompFile = "/usr/share/containers/seccomp.json";

/** The profile that runtimes apply by default, for a container without capabilities. */
function runtimeDefault(): object {
  const profile = JSON.parse(readFileSync(seccompFile, "utf8")) as {
    readonly defaultAction: string;
    readonly defaultErrnoRet: number;
    readonly syscalls: readonly SyscallRule[];
  };
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const applies = ({ includes = {}, excludes = {} }: SyscallRule): boolean =>
    (includes.caps ?? []).length === 0 &&
    (includes.arches ?? [arch]).includes(arch) &&
    !(excludes.arches ?? []).includes(arch);
  return {
    defaultAction: profile.defaultAction,
    defaultErrnoRet: profile.defaultErrnoRet,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
    syscalls: profile.syscalls.filter(applies).map(({ names, action, args, errnoRet }) => ({
      names,
      action,
      ...(args && args.length > 0 && { args }),
      ...(errnoRet !== undefined && { errnoRet }),
    })),
  };
}
