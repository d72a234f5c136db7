import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The root of the repository: everything the harness needs is addressed from here. */
export const repositoryRoot = resolve(__dirname, "../..");

export const toolNames = ["etcd", "kube-apiserver", "kubectl"] as const;
export type ToolName = (typeof toolNames)[number];

export interface Tool {
  readonly name: ToolName | ProgramName;
  /** The package to build, and the folder of the module that pins it. */
  readonly package: string;
  readonly moduleDir: string;
  readonly version: string;
  readonly linkerFlags: string;
}

const toolsDir = join(__dirname, "tools");

/** The versions are read from the go.mod files, so that they are written down only once. */
export function pinnedTools(): readonly Tool[] {
  const etcdVersion = pinnedVersion("etcd", "go.etcd.io/etcd/server/v3");
  const kubernetesVersion = pinnedVersion("kubernetes", "k8s.io/kubernetes");
  return [
    {
      name: "etcd",
      package: "go.etcd.io/etcd/server/v3",
      moduleDir: join(toolsDir, "etcd"),
      version: etcdVersion,
      linkerFlags: "-s -w",
    },
    ...(["kube-apiserver", "kubectl"] as const).map((name) => ({
      name,
      package: `k8s.io/kubernetes/cmd/${name}`,
      moduleDir: join(toolsDir, "kubernetes"),
      version: kubernetesVersion,
      linkerFlags: `-s -w ${versionStamp(kubernetesVersion)}`,
    })),
  ];
}

/** A program that is built from one Go module. */
interface Program {
  readonly module: string;
  /** Package within the module; its root when empty. */
  readonly command: string;
  /** The variable that holds the version; without it, all those of Kubernetes. */
  readonly stamp?: string;
  /** Folder under tools whose module pins it; that of its own name when not given. */
  readonly folder?: string;
}

/** Programs of some tests and of the packages alone, by name: nobody else waits for their builds. */
const programs = {
  helm4: {
    module: "helm.sh/helm/v4",
    command: "cmd/helm",
    stamp: "helm.sh/helm/v4/internal/version.version",
  },
  promtool: {
    module: "github.com/prometheus/prometheus",
    command: "cmd/promtool",
    stamp: "github.com/prometheus/common/version.Version",
  },
  helm: {
    module: "helm.sh/helm/v3",
    command: "cmd/helm",
    stamp: "helm.sh/helm/v3/internal/version.version",
  },
  conftest: {
    module: "github.com/open-policy-agent/conftest",
    command: "",
    stamp: "github.com/open-policy-agent/conftest/internal/version.Version",
  },
  kubeconform: {
    module: "github.com/yannh/kubeconform",
    command: "cmd/kubeconform",
    stamp: "main.version",
  },
  nfpm: { module: "github.com/goreleaser/nfpm/v2", command: "cmd/nfpm", stamp: "main.version" },
  kwok: {
    module: "sigs.k8s.io/kwok",
    command: "cmd/kwok",
    stamp: "sigs.k8s.io/kwok/pkg/consts.Version",
  },
  // of the release of the API server, from the module that pins them all
  "kube-controller-manager": {
    module: "k8s.io/kubernetes",
    command: "cmd/kube-controller-manager",
    folder: "kubernetes",
  },
  "kube-scheduler": {
    module: "k8s.io/kubernetes",
    command: "cmd/kube-scheduler",
    folder: "kubernetes",
  },
} as const satisfies Readonly<Record<string, Program>>;
export type ProgramName = keyof typeof programs;

export function isProgramName(name: string): name is ProgramName {
  return Object.hasOwn(programs, name);
}

export function pinnedProgram(name: ProgramName): Tool {
  const { module, command, stamp, folder = name }: Program = programs[name];
  const version = pinnedVersion(folder, module);
  const stamped = stamp === undefined ? versionStamp(version) : `-X ${stamp}=${version}`;
  return {
    name,
    package: [module, command].filter((part) => part !== "").join("/"),
    moduleDir: join(toolsDir, folder),
    version,
    linkerFlags: `-s -w ${stamped}`,
  };
}

/**
 * Names the folder of the cache. It changes with every pinned version, checksum, build flag and
 * platform, so that what was built for another state of the project is never picked up.
 */
export function cacheKey(tools: readonly Tool[]): string {
  const hash = createHash("sha256");
  for (const tool of tools) {
    hash.update(tool.package).update(tool.linkerFlags);
    for (const file of ["go.mod", "go.sum"]) {
      hash.update(readFileSync(join(tool.moduleDir, file)));
    }
  }
  const versions = tools
    .filter((tool) => tool.name !== "kubectl")
    .map((tool) => `${tool.name}-${tool.version}`);
  const digest = hash.digest("hex").slice(0, 8);
  return [...versions, process.platform, process.arch, digest].join("_");
}

function pinnedVersion(module: string, path: string): string {
  const file = join(toolsDir, module, "go.mod");
  const line = readFileSync(file, "utf8")
    .split("\n")
    .map((text) =>
      text
        .trim()
        .replace(/^require\s+/, "")
        .split(/\s+/),
    )
    .find((words) => words[0] === path && words[1]?.startsWith("v"));
  const version = line?.[1];
  if (version === undefined) {
    throw new Error(`${file} does not pin ${path}`);
  }
  return version;
}

/**
 * Without the stamp the server reports no usable version, and clients refuse to compare it; the one
 * of client-go is what kubectl sends as its user agent.
 */
function versionStamp(version: string): string {
  const [major = "", minor = ""] = version.slice(1).split(".");
  const stamped = "k8s.io/component-base/version";
  return [
    `-X ${stamped}.gitVersion=${version}`,
    `-X ${stamped}.gitMajor=${major}`,
    `-X ${stamped}.gitMinor=${minor}`,
    `-X k8s.io/client-go/pkg/version.gitVersion=${version}`,
  ].join(" ");
}
