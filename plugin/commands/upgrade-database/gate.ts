/** Why an upgrade leaves the databases out: they keep their version unless one is given (S61). */
export function skipDatabases({
  engineVersion,
}: {
  readonly engineVersion?: string | undefined;
}): string | undefined {
  if (engineVersion !== undefined) return undefined;
  return "no --engine-version was given, the databases keep theirs";
}
