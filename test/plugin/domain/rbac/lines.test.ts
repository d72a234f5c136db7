/** The role in managed namespaces, release by release, against the facts (domain facts 6). */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { findLine, roleLines, resolveRoles } from "../../../../plugin/domain/rbac/lines";
import {
  compareRules,
  grantLines,
  grantsOf,
  readRules,
} from "../../../../plugin/domain/kube/role-rules";
import { renamed } from "../../../support/renamed";
import { shipped } from "./objects";

const edb = "engineenterprisedatabases.app.engine.com";
const eaadb = "engineenterpriseactiveactivedatabases.app.engine.com";
const at = (tag: string): readonly string[] => {
  const line = findLine(tag, names);
  return line === undefined ? [] : [line.from, ...grantLines(grantsOf(line.rules))];
};

test.each([
  ["7.4.2-1", undefined],
  ["6.4.2-8", undefined],
  [undefined, undefined],
  ["latest", undefined],
  ["7.4.2-2", "7.4.2-2"],
  ["7.4.2-12", "7.4.2-2"],
  ["7.4.6-1", "7.4.2-2"],
  ["7.4.6-2", "7.4.6-2"],
  ["7.8.6-10", "7.4.6-2"],
  ["7.22.0-7", "7.22.0-0"],
  ["v7.22.2-43", "7.22.0-0"],
  ["8.0.2-2", "8.0.2-0"],
  ["8.2.0-13", "8.0.2-0"],
])("operator %s has the role of line %s", (tag, from) => {
  expect(findLine(tag, names)?.from).toBe(from);
});

test("from line to line", () => {
  const rules = roleLines(names).map((line) => line.rules);
  const changes = rules.slice(1).map((next, index) => {
    const { gained, lost } = compareRules(rules[index] ?? [], next);
    return { gained: grantLines(gained), lost: grantLines(lost) };
  });
  const parts = ["", "/status", "/finalizers"];
  const on = (plural: string, verbs: string): readonly string[] =>
    parts.map((part) => `${plural.replace(".", `${part}.`)}: ${verbs}`);
  expect(changes).toEqual([
    {
      gained: [],
      lost: [
        ...on(edb, "deletecollection"),
        "secrets: read, listallnamespaces, watchlist, watchlistallnamespaces, replace, delete, deletecollection",
      ],
    },
    {
      gained: [...on(eaadb, "delete, get, list, patch, create, update, watch"), "events: patch"],
      lost: [],
    },
    {
      gained: ["endpointslices.discovery.k8s.io: get, list, watch"],
      lost: ["endpoints: get, list, watch"],
    },
  ]);
  expect(at("7.4.6-2")).toContain("services: delete, get, list, patch, create, update, watch");
});

test("the shipped file is the last line's", () => {
  const role = shipped.find((one) => (one as { kind: string }).kind === "Role");
  const last = roleLines(names).at(-1)?.rules ?? [];
  expect(compareRules(readRules(role), last)).toEqual({ gained: [], lost: [] });
});

test("other names, other words", () => {
  const written = JSON.stringify(roleLines(renamed));
  expect(written).toContain(renamed.edb.plural);
  expect(written).not.toMatch(/app\.engine\.com"|databases[/"]/);
});

describe("the files of a release", () => {
  const files = { documents: shipped, source: "mine" };

  test("are taken as they are", () => {
    expect(resolveRoles(files, "7.4.2-2", names)).toEqual({ is: "known", ...files });
  });

  test("that the tool ships have the rules of the release that is meant, else of the one that runs", () => {
    const rules = (release: string | undefined): unknown => {
      const roles = resolveRoles({ ...files, shipped: true, release }, "7.22.0-7", names);
      return roles.is === "known" && [roles.source, ...roles.documents.map(readRules)];
    };
    const others = [readRules(shipped[0]), [], [], []];
    expect(rules(undefined)).toEqual(
      expect.arrayContaining([
        "the edb-role of operator 7.22.0-7",
        findLine("7.22.0-7", names)?.rules,
      ]),
    );
    expect(rules("8.0.2-2")).toEqual(
      expect.arrayContaining([findLine("8.0.2-2", names)?.rules, ...others]),
    );
  });

  test.each([
    [undefined, "the operator's image does not report its release, so its edb-role is not known"],
    ["7.2.4-7", "the edb-role of operator 7.2.4-7 is not known"],
  ])("that the tool ships are unknown for operator %s", (running, because) => {
    expect(resolveRoles({ ...files, shipped: true }, running, names)).toEqual({
      is: "unknown",
      because,
    });
  });
});
