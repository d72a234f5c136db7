import { inRegistry, isRegistry } from "../../../../plugin/domain/operator/images";

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
