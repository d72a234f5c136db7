/** Reports to print in the golden tests, which hold them as JSON: one that went well, one that did not, a hostile one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../../plugin/kernel/report";

const reportOf = (name: string): Report =>
  JSON.parse(readFileSync(join(__dirname, `../../golden/report-${name}.json`), "utf8")) as Report;

/** A swap as it should be. */
export const swapped = reportOf("swap");

/** A dry run that a missing permission ends. */
export const forbidden = reportOf("forbidden");

/** What someone who may write names and messages would like a terminal to do. */
export const hostile = reportOf("hostile");
