import { parseImage } from "../../../plugin/domain/image";

test.each([
  ["engine/operator:7.22.0-7", "engine/operator", "7.22.0-7", undefined],
  ["host:5000/a/b", "host:5000/a/b", undefined, undefined],
  ["host:5000/a/b:1@sha256:00", "host:5000/a/b", "1", "sha256:00"],
  ["a@sha256:00", "a", undefined, "sha256:00"],
])("%s is taken apart", (reference, repository, tag, digest) => {
  expect(parseImage(reference)).toEqual({ repository, tag, digest });
});

test.each<[unknown]>([[undefined], [""], [7], ["a b"], ["@"]])("%j is no image", (written) => {
  expect(parseImage(written)).toBeUndefined();
});
