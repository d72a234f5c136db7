/** A report as one JSON document. */
import type { Event, Report } from "../run/report";
import { escapeJson } from "./escape";

/** The document, indented for reading. */
export function renderJson(report: Report): string {
  return `${escapeJson(JSON.stringify(report, undefined, 2))}\n`;
}

/** One line of JSON Lines: an event as it happens, or the document at the end. */
export function renderLine(value: Event | Report): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}
