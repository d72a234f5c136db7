/**
 * Every test judges by the rows that hold for good: what is known of single releases changes with each of them, and has
 * its examples beside it. A test of the shipped rows says so with `jest.unmock`.
 */
import type * as Shipped from "../../plugin/domain/advisories/shipped";

jest.mock("../../plugin/domain/advisories/shipped", () => {
  const actual = jest.requireActual<typeof Shipped>("../../plugin/domain/advisories/shipped");
  const codes = [
    "RELEASE-PATH",
    "OPERATOR-TOO-OLD",
    "MODULE-RELEASE",
    "MODULE-OS-BASE",
    "ACTIVE-ACTIVE-OPERATOR",
    "ACTIVE-ACTIVE-MODULE-COMMANDS",
    "ACTIVE-ACTIVE-NAMESPACE",
  ];
  const rows = actual.listShipped().filter(({ code }) => codes.includes(code));
  return { ...actual, listShipped: () => rows };
});
