import { parseImage } from "../../../plugin/domain/image";

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
