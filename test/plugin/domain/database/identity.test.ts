/** Which record of the REST API a resource stands for: two signs have to agree. */
import type { ApiDatabase } from "../../../../plugin/domain/rest-api/records";
import { identify, identifyAmong } from "../../../../plugin/domain/database/identity";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { aBdb, anEdb, type Parts } from "./scene";

const address = { host: "Orders-1.ec.example.com", port: 12_001 };
const there = { endpoints: [{ host: "orders-1.ec.example.com", port: 12_001 }] };
const billing = (more: Partial<ApiDatabase> = {}): ApiDatabase =>
  aBdb({ name: "billing", ...more });
const orders = aBdb({ uid: 7, name: "orders" });
const unnumbered: Parts = { status: { databaseUID: "" } };

type Row = readonly [
  title: string,
  parts: Parts & { readonly guid?: string },
  all: readonly ApiDatabase[],
];

const proven: readonly (readonly [...Row, uid: number])[] = [
  ["number and name", {}, [aBdb(), aBdb({ uid: 2, name: "other" })], 1],
  ["number and name, where another record has the name too", {}, [aBdb(), orders], 1],
  ["number and port", { spec: { databasePort: 9 } }, [billing({ port: 9 })], 1],
  ["number and endpoint", { status: { internalEndpoints: [address] } }, [billing(there)], 1],
  ["number and guid", { guid: "g-1" }, [billing({ crdtGuid: "g-1" })], 1],
  ["name and port", { ...unnumbered, spec: { databasePort: 9 } }, [aBdb({ port: 9 })], 1],
];

test.each(proven)("%s prove it", (_title, ...[{ guid, ...parts }, all, uid]) => {
  const target = { object: anEdb("orders", parts), ...(guid !== undefined && { guid }) };
  expect(identify(target, all, names)).toMatchObject({ is: "proven", bdb: { uid } });
});

const unproven: readonly (readonly [...Row, code: string, cause: string])[] = [
  [
    "the number is another record's",
    {},
    [billing(), orders],
    "DATABASE-UID-MISMATCH",
    "its status has the number 1, and in the REST API 1 is billing, orders is 7",
  ],
  [
    "the record of the number has no name",
    {},
    [aBdb({ name: undefined })],
    "DATABASE-UID-MISMATCH",
    "its status has the number 1, and in the REST API 1 has no name",
  ],
  [
    "other signs differ as well",
    {
      guid: "g-1",
      spec: { databasePort: 9 },
      status: { internalEndpoints: [{ ...address, port: 1 }, { host: "x" }, { port: 2 }] },
    },
    [billing({ ...there, port: 10, crdtGuid: "g-2" })],
    "DATABASE-UID-MISMATCH",
    "its status has the number 1, and in the REST API 1 is billing",
  ],
  [
    "the number is gone",
    {},
    [orders],
    "DATABASE-UID-UNKNOWN",
    "its status has the number 1, which the REST API does not have, and of its name there is 7",
  ],
  [
    "only the name agrees",
    unnumbered,
    [orders],
    "DATABASE-UID-UNKNOWN",
    "its status has no number, and a name does not prove that 7 is it",
  ],
  [
    "the name is that of two",
    unnumbered,
    [aBdb(), orders],
    "DATABASE-UID-UNKNOWN",
    "its status has no number, and in the REST API of its name there is 1, 7",
  ],
  [
    "nothing agrees",
    unnumbered,
    [billing()],
    "DATABASE-UID-UNKNOWN",
    "its status has no number, and in the REST API no record has its name",
  ],
];

test.each(unproven)(
  "%s: nothing is proven",
  (_title, ...[{ guid, ...parts }, all, code, cause]) => {
    const target = { object: anEdb("orders", parts), ...(guid !== undefined && { guid }) };
    expect(identify(target, all, names)).toMatchObject({
      is: "unproven",
      finding: { code, cause },
    });
  },
);

const inStaging = (parts: Parts = {}) => ({
  object: anEdb("orders", { ...parts, metadata: { namespace: "staging" } }),
});

test.each<[string, readonly { readonly object: ReturnType<typeof anEdb> }[], string]>([
  ["no other resource", [], "proven"],
  ["itself", [{ object: anEdb("orders") }], "proven"],
  ["one of another number", [inStaging({ status: { databaseUID: "7" } })], "proven"],
  ["one of the same number and name", [inStaging()], "unproven"],
])("beside %s it is %s", (_title, others, is) => {
  const target = { object: anEdb("orders") };
  const found = identifyAmong(target, { others, all: [aBdb()] }, names);
  expect(found.is).toBe(is);
  if (found.is === "proven") return;
  expect(found.finding).toMatchObject({ code: "DATABASE-UID-SHARED" });
  expect(found.finding.cause).toMatch(/EngineEnterpriseDatabase\/staging\/orders both stand for 1/);
});

test("what is unproven by itself stays so among others", () => {
  const among = { others: [inStaging()], all: [billing()] };
  expect(identifyAmong({ object: anEdb("orders") }, among, names)).toMatchObject({
    finding: { code: "DATABASE-UID-MISMATCH" },
  });
});
