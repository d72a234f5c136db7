import {
  inRegistry,
  isRegistry,
  parseImage,
  findRegistry,
  withRepository,
} from "../../../../plugin/domain/release/images";

test.each([
  ["engine/operator:7.22.0-7", { repository: "engine/operator", tag: "7.22.0-7" }],
  ["host:5000/a/b", { repository: "host:5000/a/b" }],
  ["host:5000/a/b:1@sha256:00", { repository: "host:5000/a/b", tag: "1", digest: "sha256:00" }],
  ["a@sha256:00", { repository: "a", digest: "sha256:00" }],
])("%s is taken apart", (reference, image) => {
  expect(parseImage(reference)).toEqual(image);
});

test.each<[unknown]>([[undefined], [""], [7], ["a b"], ["@"]])("%j is no image", (written) => {
  expect(parseImage(written)).toBeUndefined();
});

test.each([
  ["engine/operator:1", "mirror/x/engine/operator:1"],
  ["registry.local/engine/operator:1", "mirror/x/engine/operator:1"],
  ["localhost/operator", "mirror/x/operator"],
  ["host:5000/operator@sha256:00", "mirror/x/operator@sha256:00"],
  ["operator", "mirror/x/operator"],
])("%s moves to another registry with its path", (reference, moved) => {
  expect(inRegistry(reference, "mirror/x/")).toBe(moved);
});

test.each([
  ["mirror", true],
  ["mirror.local:5000/team/sub", true],
  ["mirror/", true],
  ["https://mirror", false],
  ["mirror/Team", false],
  ["", false],
  ["mirror/a:tag", false],
])("%s is a registry: %s", (text, is) => {
  expect(isRegistry(text)).toBe(is);
});

test.each([
  ["mirror/x/engine/operator", "engine/operator", "mirror/x"],
  ["mirror/engine/operator", "registry.public/engine/operator", "mirror"],
  ["engine/operator", "engine/operator", undefined],
  ["mirror/operator", "engine/operator", undefined],
])("%s holds %s in the registry %s", (repository, image, registry) => {
  expect(findRegistry(repository, image)).toBe(registry);
});

test.each([
  ["a tag", "engine/operator:8.0.2-2", "hub.example/copy:8.0.2-2"],
  ["a digest", "engine/operator@sha256:abc", "hub.example/copy@sha256:abc"],
  ["what is no reference", "two words", "hub.example/copy"],
])("%s stays when the repository changes", (_title, reference, expected) => {
  expect(withRepository(reference, "hub.example/copy")).toBe(expected);
});
