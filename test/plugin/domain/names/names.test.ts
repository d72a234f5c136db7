import { defaultNames } from "../../../../plugin/domain/names/names";

/** Every text in the names, by its path. */
function textsOf(value: unknown, path = ""): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));
}

test("every name is a text that is not empty", () => {
  const wrong = textsOf(defaultNames).filter(([, text]) => typeof text !== "string" || text === "");
  expect(wrong).toEqual([]);
});

test("no two kinds share a name, a plural or a short name", () => {
  const { ec, edb, eaadb, erc } = defaultNames;
  for (const field of ["kind", "plural", "short"] as const) {
    expect(new Set([ec, edb, eaadb, erc].map((kind) => kind[field])).size).toBe(4);
  }
});

test("old and new configuration differ in name and entry", () => {
  const { configuration, oldConfiguration, entry, oldEntry } = defaultNames.webhook;
  expect(configuration).not.toBe(oldConfiguration);
  expect(entry).not.toBe(oldEntry);
});

test("no spelling of a placeholder is a part of a later one: it would be filled in by half", () => {
  for (const tokens of Object.values(defaultNames.placeholders)) {
    tokens.forEach((token, index) => {
      const later = tokens.slice(index + 1);
      expect(later.filter((other) => other.includes(token))).toEqual([]);
    });
  }
});

test("the names of the specification are spelled as it spells them", () => {
  expect(defaultNames.webhook).toMatchObject({
    configuration: "engine-enterprise-admission",
    entry: "redisenterprise.admission.engine",
    oldConfiguration: "edb-admission",
    secret: "admission-tls",
    secretCert: "cert",
    secretKey: "privateKey",
  });
});
