import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  findConversionService,
  judgeConversion,
  dropNone,
} from "../../../../plugin/domain/operator/conversion";

const definition = (conversion?: object): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: { group: "example.com", ...(conversion && { conversion }) },
});
const through = (service: object | undefined, caBundle = "Q0E="): KubeObject =>
  definition({
    strategy: "Webhook",
    webhook: { clientConfig: { caBundle, ...(service && { service }) } },
  });
const one = { namespace: "db", name: "convert" };
const plain = definition();

test.each<[string, KubeObject, object | undefined]>([
  ["no conversion", plain, undefined],
  ["none by name", definition({ strategy: "None" }), undefined],
  ["a Service", through(one), one],
  ["a URL", through(undefined), undefined],
  ["a Service without a namespace", through({ name: "convert" }), undefined],
])("the Service of %s", (_name, object, service) => {
  expect(findConversionService(object)).toEqual(service);
});

test.each<[string, Parameters<typeof judgeConversion>, string]>([
  ["none on either side", [plain, plain, undefined], "fine"],
  ["the default by name", [definition({ strategy: "None" }), plain, undefined], "fine"],
  ["a Service that is gone", [through(one), plain, false], "broken"],
  ["a Service that is gone, without a release", [through(one), undefined, false], "broken"],
  ["a Service that is there, without a release", [through(one), undefined, true], "fine"],
  ["a Service that the release does not have", [through(one), plain, true], "beyond"],
  ["a URL that the release does not have", [through(undefined), plain, undefined], "beyond"],
  ["the release's Service with another CA", [through(one), through(one, "WA=="), true], "fine"],
  [
    "another Service than the release's",
    [through(one), through({ ...one, name: "x" }), true],
    "beyond",
  ],
])("%s", (_name, given, is) => {
  expect(judgeConversion(...given).is).toBe(is);
});

test("of a release's file only a conversion of strategy None is left out", () => {
  expect(dropNone(definition({ strategy: "None" }))).toEqual(plain);
  expect(dropNone(through(one))).toEqual(through(one));
  expect(dropNone(plain)).toBe(plain);
});
