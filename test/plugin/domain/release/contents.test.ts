import { parseDocuments, renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  judgeContents,
  type Reading,
  type Release,
  releasePaths,
  targetProblems,
} from "../../../../plugin/domain/release/contents";
import { bundleOf, releaseFiles } from "../../../support/releases/tree";
import { releaseShapes, releaseVersions } from "../../../support/releases/versions";

const reading: Reading = { platform: "kubernetes", names, parse: parseDocuments };

function aRelease(files: Readonly<Record<string, string>>): Release {
  return {
    source: "r",
    sha256: "00",
    file: (paths) => {
      const path = paths.find((each) => files[each] !== undefined);
      return path === undefined ? undefined : { text: files[path] ?? "", source: `r/${path}` };
    },
  };
}

/** A release with a bundle alone. */
const withBundle = (objects: readonly unknown[]): Release =>
  aRelease({ "bundle.yaml": renderDocuments(objects) });

function problemsOf(release: Release, changes: Partial<Reading> = {}): readonly string[] {
  const result = judgeContents(release, { ...reading, ...changes });
  return result.is === "unfit" ? result.problems : [];
}

const usual = bundleOf("7.22.0-7");
const others = usual.filter(({ kind }) => kind !== "Deployment");

/** The bundle with other images in its two containers, in the order operator, admission. */
function withImages(images: readonly (string | undefined)[], env: readonly object[] = []): Release {
  const containers = [names.operator.container, names.operator.admissionContainer].map(
    (name, index) => ({ name, ...(images[index] !== undefined && { image: images[index] }), env }),
  );
  return withBundle([...others, aDeployment(containers)]);
}

function aDeployment(containers: readonly object[]): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: names.operator.deployment },
    spec: { template: { spec: { containers } } },
  };
}

describe("the release", () => {
  test.each(
    releaseVersions.flatMap((version) => [
      { version, platform: "kubernetes" as const },
      { version, platform: "openshift" as const },
    ]),
  )("$version is read for $platform", ({ version, platform }) => {
    const release = aRelease(releaseFiles(version));
    const result = judgeContents(release, { ...reading, platform, target: `v${version}` });
    if (result.is === "unfit") throw new Error(result.problems.join());
    const { contents } = result;
    expect(contents).toMatchObject({ source: "r", sha256: "00", operatorVersion: version });
    expect(contents.clusterVersion).toBe(releaseShapes[version].cluster);
    expect(contents.definitions.map(({ metadata }) => metadata.name)).toEqual(
      [names.ec, names.edb, names.eaadb, names.erc].map(({ plural }) => `${plural}.${names.group}`),
    );
    const folder = releaseShapes[version].deployFolder ? "r/deploy" : "r";
    expect(contents.webhook?.source).toBe(`${folder}/admission/webhook.yaml`);
    expect(contents.scc?.source).toBe(`${folder}/openshift/scc.yaml`);
    expect(contents.rbac.map(({ source }) => source)).toEqual(
      ["role", "role_binding", "operator_cluster_role", "operator_cluster_role_binding"].map(
        (name) => `${folder}/multi-namespace-edb/${name}.yaml`,
      ),
    );
    const kinds = contents.bundle.map(({ kind }) => kind);
    expect(kinds.includes("SecurityContextConstraints")).toBe(
      platform === "openshift" && version === "7.4.2-2",
    );
  });

  test("without a bundle holds the other files, and no version", () => {
    const release = aRelease({ "admission/webhook.yaml": "a: 1" });
    const result = judgeContents(release, { ...reading, target: "7.22.0-7" });
    expect(result).toMatchObject({
      is: "read",
      contents: {
        platform: reading.platform,
        operatorVersion: undefined,
        clusterVersion: undefined,
        bundle: [],
        definitions: [],
        webhook: { source: "r/admission/webhook.yaml" },
        rbac: [],
        scc: undefined,
      },
    });
  });

  test("is looked for in both layouts, and nowhere else", () => {
    expect(releasePaths(names)).toEqual(
      [...releaseVersions.flatMap((version) => Object.keys(releaseFiles(version)))]
        .flatMap((path) => [path.replace("deploy/", ""), `deploy/${path.replace("deploy/", "")}`])
        .filter((path, index, all) => all.indexOf(path) === index)
        .sort(),
    );
  });
});

describe("the version of the operator", () => {
  test.each<[string, string, string | undefined]>([
    ["a tag", "engine/operator:7.22.0-7", "7.22.0-7"],
    [
      "a tag behind a registry with a port",
      "mirror.example:5000/engine/operator:8.0.2-2",
      "8.0.2-2",
    ],
    ["a tag beside a digest", "engine/operator:8.0.2-2@sha256:00", "8.0.2-2"],
    ["a digest alone", "engine/operator@sha256:00", undefined],
    ["neither", "mirror.example:5000/engine/operator", undefined],
  ])("is read from %s", (_title, image, version) => {
    const result = judgeContents(withImages([image, image]), reading);
    expect(result).toMatchObject({ is: "read", contents: { operatorVersion: version } });
  });

  test("that is not known cannot differ from the one that was asked for", () => {
    const pinned = "engine/operator@sha256:00";
    expect(problemsOf(withImages([pinned, pinned]), { target: "7.22.0-7" })).toEqual([]);
  });
});

describe("the cluster release", () => {
  const image = "engine/operator:7.22.0-7";
  test.each<[string, readonly object[], string | undefined]>([
    ["the bundle's own", [{ name: "A", value: "engine/engine:7.22.0-30" }], "7.22.0-30"],
    [
      "the bundle's own, behind a registry",
      [{ name: "A", value: "mirror.example/engine/engine:7.22.0-30" }],
      "7.22.0-30",
    ],
    [
      "that of the table where it names another image",
      [{ value: "my-engine/engine:1" }],
      "7.22.0-28",
    ],
    ["that of the table where it has no tag", [{ value: "engine/engine@sha256:0" }], "7.22.0-28"],
    ["that of the table", [{ name: "B" }], "7.22.0-28"],
  ])("is %s", (_title, env, version) => {
    const result = judgeContents(withImages([image, image], env), reading);
    expect(result).toMatchObject({ is: "read", contents: { clusterVersion: version } });
  });
});

describe("a sample cluster", () => {
  const image = "engine/operator:7.99.0-1";
  const bundle = withImages([image, image]).file(names.release.bundle)?.text ?? "";
  const sample = (spec: string, kind = names.ec.kind): string =>
    `apiVersion: app.engine.com/v1\nkind: ${kind}\nmetadata: {name: ec}\nspec: ${spec}`;
  const tagged = (tag: string): string => `{engineEnterpriseImageSpec: {versionTag: ${tag}}}`;

  test.each([
    ["reports the tag of an operator that no table has", sample(tagged("7.99.0-40")), "7.99.0-40"],
    ["without a tag tells nothing", sample("{nodes: 3}"), undefined],
    ["with a placeholder tells nothing", sample(tagged("<version>")), undefined],
    ["of another kind tells nothing", sample(tagged("7.99.0-40"), "Other"), undefined],
    ["that cannot be read tells nothing", "a: [", undefined],
  ])("%s", (_, text, tag) => {
    const files = { "bundle.yaml": bundle, "openshift/ec_rhel.yaml": text };
    const result = judgeContents(aRelease(files), reading);
    expect(result).toMatchObject({ is: "read", contents: { clusterVersion: tag } });
  });
});

describe("a release is unfit for", () => {
  const image = "engine/operator:7.22.0-7";
  const role = others[0];
  const label = `Deployment/${names.operator.deployment}`;

  const older = { ...role, apiVersion: "rbac.authorization.k8s.io/v1beta1" };
  const fixed = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "b" } };
  const webhook = { ...fixed, kind: "ValidatingWebhookConfiguration", metadata: { name: "a" } };
  const odd = ["text", { kind: "Role" }, { apiVersion: "v1", kind: "Role" }];
  const different = `${label} has different images in its containers: ${names.operator.container} ${image}, admission engine/operator:7.22.0-6`;
  const lacks = (name: string) => `${label} has no container ${name} with an image`;

  /** Each problem without the file that it is of. */
  test.each<[string, Release, readonly string[]]>([
    ["different images", withImages([image, "engine/operator:7.22.0-6"]), [different]],
    ["a container without an image", withImages([image, undefined]), [lacks("admission")]],
    [
      "a Deployment without its containers",
      withBundle([...others, aDeployment([])]),
      [lacks(names.operator.container), lacks("admission")],
    ],
    ["a bundle without the operator", withBundle(others), [`it holds no ${label}`]],
    [
      "an object that is there twice, in whatever version",
      withBundle([...usual, older]),
      [`Role/${names.operator.role} is there twice`],
    ],
    [
      "an object that is fixed to a namespace",
      withBundle([...usual, fixed]),
      ['ConfigMap/b/a is fixed to namespace "b"'],
    ],
    [
      "a webhook among the objects",
      withBundle([...usual, webhook]),
      ["ValidatingWebhookConfiguration/a is a webhook, which has a file of its own"],
    ],
    [
      "documents that are no objects",
      withBundle([...usual, ...odd]),
      [10, 11, 12].map(
        (n) => `document ${n} is not an object with apiVersion, kind and metadata.name`,
      ),
    ],
  ])("%s", (_title, release, problems) => {
    expect(problemsOf(release)).toEqual(problems.map((problem) => `r/bundle.yaml: ${problem}`));
  });

  test("another release, or a text that is not a YAML, with its line", () => {
    const other = ["r/bundle.yaml: its operator is 7.22.0-7, not 7.22.0-17 that was asked for"];
    expect(problemsOf(withBundle(usual), { target: "7.22.0-17" })).toEqual(other);
    const line = /^r\/bundle.yaml cannot be read: .*\(line [23], column \d+\)/;
    expect(problemsOf(aRelease({ "bundle.yaml": "a: 1\nb: [" }))).toEqual([
      expect.stringMatching(line),
      `r/bundle.yaml: it holds no ${label}`,
    ]);
  });

  test("everything at once", () => {
    expect(problemsOf(withBundle([role, role, 1]))).toHaveLength(3);
  });
});

test("empty documents are none, and a list is its items", () => {
  const text = `---\n${renderDocuments([{ apiVersion: "v1", kind: "List", items: usual }])}---\n`;
  const result = judgeContents(aRelease({ "bundle.yaml": text }), reading);
  expect(result).toMatchObject({ is: "read", contents: { bundle: usual } });
});

test("an error that is not about the file is passed on", () => {
  const parse = (): never => {
    throw new TypeError("a fault of the program");
  };
  expect(() => judgeContents(withBundle(usual), { ...reading, parse })).toThrow(TypeError);
});

describe("the tags of all bundles are compared with the one that was asked for", () => {
  const wanted = { names, parse: parseDocuments, target: "7.22.0-7" };
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["none is there", {}, []],
    ["they fit", releaseFiles("7.22.0-7"), []],
    [
      "both are others",
      releaseFiles("8.0.2-2"),
      ["deploy/bundle.yaml", "deploy/openshift.bundle.yaml"].map(
        (path) => `r/${path}: its operator is 8.0.2-2, not 7.22.0-7 that was asked for`,
      ),
    ],
    [
      "one cannot be read",
      { "bundle.yaml": "1" },
      ["r/bundle.yaml: document 1 is not an object with apiVersion, kind and metadata.name"],
    ],
  ])("%s", (_title, files, problems) => {
    expect(targetProblems(aRelease(files), wanted)).toEqual(problems);
  });
});
