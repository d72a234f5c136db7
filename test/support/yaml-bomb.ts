/** About 540 bytes of YAML whose aliases stand for more than ten billion values. */
export const yamlBomb = Array.from({ length: 10 }, (_, index) => {
  const before = index === 0 ? "x" : `*a${index - 1}`;
  return `a${index}: &a${index} [${Array<string>(10).fill(before).join(", ")}]\n`;
}).join("");
