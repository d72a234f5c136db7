/** What is measured, and how the plots and the tables name it. */
import type { Metric, Point } from "./points";

/** A picture, and a table beside it. */
export interface Subject {
  readonly name: string;
  readonly title: string;
  /** What there are so many of. */
  readonly axis: string;
  readonly metrics: readonly Metric[];
}

export const metricTitles: Readonly<Record<Metric, string>> = {
  seconds: "seconds",
  client: "processor seconds of the tool",
  servers: "processor seconds of API server and etcd",
  requests: "requests",
  busy: "of them 429",
  mib: "peak memory, MiB",
  reviewMs: "processor ms of a review",
};

export const subjects: readonly Subject[] = [
  {
    name: "cluster",
    title: "Commands over a whole cluster",
    axis: "namespaces, and as many databases",
    metrics: ["seconds", "client", "servers", "requests", "mib"],
  },
  {
    name: "whole-upgrade",
    title: "Commands of an upgrade",
    axis: "databases, in a tenth as many namespaces",
    metrics: ["seconds", "client", "servers", "requests", "busy", "mib"],
  },
  {
    name: "webhook-clusters",
    title: "engine-webhook by the ECs that it knows: start, and reviews of 4 KB",
    axis: "ECs",
    metrics: ["seconds", "requests", "mib", "reviewMs"],
  },
  {
    name: "webhook-reviews",
    title: "engine-webhook and the size of a review",
    axis: "KB of a review",
    metrics: ["reviewMs", "mib"],
  },
  {
    name: "dump",
    title: "A dump loaded for a rehearsal",
    axis: "objects",
    metrics: ["seconds", "mib"],
  },
];

/** The lines of a subject, each by its sizes. */
export function linesOf(
  { name }: Subject,
  points: readonly Point[],
): ReadonlyMap<string, readonly Point[]> {
  const lines = new Map<string, Point[]>();
  for (const point of points.filter(({ subject }) => subject === name)) {
    lines.set(point.line, [...(lines.get(point.line) ?? []), point]);
  }
  return lines;
}
