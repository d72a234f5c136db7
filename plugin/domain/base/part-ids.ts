/** The names of the parts, in their order: stable, shown to people, used in documents. */
export const partIds = [
  "auto-off",
  "rbac-expand",
  "operator",
  "webhook",
  "cluster",
  "scc",
  "rbac-contract",
  "databases",
] as const;

/** One of them. */
export type PartId = (typeof partIds)[number];
