/** What the programs were built from; the bundler puts the commit's own values here, so that equal commits give equal bytes. */
export const built = { commit: "unknown", date: "unknown" };
