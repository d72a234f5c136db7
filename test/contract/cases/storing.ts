/** The form in which the API server stores what was spelled otherwise. */
import { getPath, asArray, getOwn } from "../../../plugin/domain/base/values";
import { definition, deployment } from "../objects";
import type { ContractGroup, World } from "../world";

/** What becomes of a container and a volume, by a create and by an apply. */
async function stored(
  { cluster, namespace }: World,
  container: object,
  volume?: object,
): Promise<unknown> {
  const plain = deployment(namespace);
  const spec = getPath(plain, ["spec"]) as { readonly template: { readonly spec: object } };
  const [first] = asArray(getPath(plain, ["spec", "template", "spec", "containers"])) as object[];
  const object = {
    ...plain,
    spec: {
      ...spec,
      template: {
        ...spec.template,
        spec: {
          containers: [{ ...first, ...container }],
          ...(volume !== undefined && { volumes: [{ name: "scratch", ...volume }] }),
        },
      },
    },
  };
  const keys = Object.keys(container);
  const made = await cluster.create(object, { dryRun: true });
  const applied = await cluster.apply(object, { fieldManager: "us", force: false, dryRun: true });
  return [made, applied].map((answer) => {
    const pod = getPath(answer, ["spec", "template", "spec"]);
    const [found] = asArray(getOwn(pod, "containers"));
    const [scratch] = asArray(getOwn(pod, "volumes"));
    return {
      ...Object.fromEntries(keys.map((key) => [key, getOwn(found, key)])),
      ...(volume !== undefined && { volume: scratch }),
    };
  });
}

const quantities: readonly (readonly [given: unknown, kept: string])[] = [
  ["4000m", "4"],
  ["4", "4"],
  [4, "4"],
  [0.5, "500m"],
  ["1500m", "1500m"],
  ["0.1", "100m"],
  ["100u", "1m"],
  ["+2", "+2"],
  ["005", "005"],
  ["1.500", "1.500"],
  ["1e3", "1e3"],
  ["1E3", "1E3"],
  ["1000e3", "1e6"],
  ["10e2", "1e3"],
  ["1500e-3", "1500e-3"],
  ["1000", "1k"],
  ["1024", "1024"],
  ["1000k", "1M"],
  ["512Mi", "512Mi"],
  ["0.5Gi", "512Mi"],
  ["1024Mi", "1Gi"],
  ["1536Mi", "1536Mi"],
  ["0.1Gi", "107374182400m"],
  ["512Ki", "512Ki"],
  ["1025Ki", "1025Ki"],
  ["0.5Ki", "512"],
  ["1.5k", "1500"],
  ["0", "0"],
  ["0Mi", "0"],
];

/** How values are stored. */
export const storing: ContractGroup = {
  about: "what is stored",
  cases: [
    ...quantities.map(([given, kept]) => ({
      says: `a quantity of ${JSON.stringify(given)} is stored as ${kept}`,
      act: (world: World) =>
        stored(world, { resources: { limits: { "ephemeral-storage": given } } }),
      sees: Array(2).fill({ resources: { limits: { "ephemeral-storage": kept } } }) as unknown,
    })),
    {
      says: "the size of an empty folder and a divisor are quantities",
      act: (world: World) =>
        stored(
          world,
          {
            env: [
              {
                name: "CPUS",
                valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1000m" } },
              },
              { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
            ],
          },
          { emptyDir: { medium: "", sizeLimit: "1024Mi" } },
        ),
      sees: Array(2).fill({
        env: [
          {
            name: "CPUS",
            valueFrom: { resourceFieldRef: { divisor: "1", resource: "limits.cpu" } },
          },
          {
            name: "MEMORY",
            valueFrom: { resourceFieldRef: { divisor: "0", resource: "limits.memory" } },
          },
        ],
        volume: { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
      }) as unknown,
    },
    {
      says: "empty values of a container are left out",
      act: (world: World) =>
        stored(
          world,
          {
            stdin: false,
            args: [],
            env: [{ name: "EMPTY", value: "" }],
            securityContext: {},
            volumeMounts: [{ name: "scratch", mountPath: "/x", readOnly: false, subPath: "" }],
            livenessProbe: { httpGet: { port: 8080, path: "" }, initialDelaySeconds: 0 },
          },
          { emptyDir: {} },
        ),
      sees: Array(2).fill({
        env: [{ name: "EMPTY" }],
        livenessProbe: {
          failureThreshold: 3,
          httpGet: { path: "/", port: 8080, scheme: "HTTP" },
          periodSeconds: 10,
          successThreshold: 1,
          timeoutSeconds: 1,
        },
        securityContext: {},
        volume: { name: "scratch", emptyDir: {} },
        volumeMounts: [{ mountPath: "/x", name: "scratch" }],
      }) as unknown,
    },
    {
      says: "empty values of a definition's schema are left out, and defaults are kept",
      act: async ({ cluster, namespace }: World) => {
        const empty = { title: "", nullable: false, uniqueItems: false, required: [] };
        const text = { type: "string", ...empty, default: "", maxLength: 0 };
        const named = { type: "object", ...empty, additionalProperties: text };
        const items = { type: "array", ...empty, items: text };
        const schema = {
          type: "object",
          description: "",
          properties: { text, title: named, items, none: { type: "object", properties: {} } },
        };
        const more = { preserveUnknownFields: false };
        const made = await cluster.create(definition(namespace, schema, more), { dryRun: true });
        const spec = made["spec"] as { readonly versions: readonly unknown[] };
        const [version] = spec.versions;
        return [
          getPath(version, ["schema", "openAPIV3Schema"]),
          getOwn(spec, "preserveUnknownFields"),
        ];
      },
      sees: [
        {
          type: "object",
          properties: {
            text: { type: "string", default: "", maxLength: 0 },
            title: {
              type: "object",
              additionalProperties: { type: "string", default: "", maxLength: 0 },
            },
            items: { type: "array", items: { type: "string", default: "", maxLength: 0 } },
            none: { type: "object" },
          },
        },
        undefined,
      ],
    },
  ],
};
