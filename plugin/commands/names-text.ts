/** The names as a file that --names takes: YAML with a comment above each key. */
import { inlineYaml } from "../adapters/yaml";
import { namesTree, type NamesTree } from "../domain/names";
import { NameSpec } from "../domain/names/types";
import { getOwn } from "../domain/values";

const head = `# The names of the product. A names file replaces any subset of these keys, lists as a whole:
# leave out what stays. Give it with --names FILE or ENGINE_NAMES=FILE, to the webhook as well.

`;

/** Every name with what it is. */
export function namesText(names: unknown): string {
  return `${head}${lines(namesTree, names, "").join("\n")}\n`;
}

function lines(tree: NamesTree, names: unknown, indent: string): readonly string[] {
  let space: readonly string[] = [];
  return Object.entries(tree).flatMap(([key, named]) => {
    const value = getOwn(names, key);
    const before = space;
    space = named instanceof NameSpec ? [] : [""];
    return named instanceof NameSpec
      ? [...before, `${indent}# ${named.says}`, `${indent}${key}: ${inlineYaml(value)}`]
      : ["", `${indent}${key}:`, ...lines(named, value, `${indent}  `)];
  });
}
