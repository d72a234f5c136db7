/** Which metrics a text speaks of, and which a process reports. */

/** Names of series, once each. */
export function metricsIn(text: string): readonly string[] {
  return [...new Set(text.match(/\bengine_admission_\w+/g) ?? [])];
}

/** Those among them that the exposition does not declare. */
export function unknownMetrics(text: string, exposition: string): readonly string[] {
  const declared = [...exposition.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name],
  );
  return metricsIn(text).filter((name) => !declared.includes(name));
}
