/**
 * An ESLint rule: no import, of types or at run time included, leads back to the file that it is in. The
 * graph is that of the whole TypeScript program, so a file that is linted by itself is judged like all.
 */
import { eachImport, graphOf } from "./import-graph.mjs";

/** @type {WeakMap<object, Map<string, number>>} the strongly connected part of each file. */
const known = new WeakMap();

/** Tarjan's algorithm: files with the same number lead to each other. */
function partsOf({ imports }) {
  const [seen, low, parts, stack] = [new Map(), new Map(), new Map(), []];
  const walk = (file) => {
    seen.set(file, seen.size);
    low.set(file, seen.get(file));
    stack.push(file);
    for (const { target: next } of imports.get(file)) {
      if (!seen.has(next)) walk(next);
      if (!parts.has(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== seen.get(file)) return;
    for (const one of stack.splice(stack.indexOf(file))) parts.set(one, seen.get(file));
  };
  for (const file of imports.keys()) if (!seen.has(file)) walk(file);
  return parts;
}

export default {
  meta: { type: "problem", schema: [], messages: { cycle: "{{ file }} imports this file again" } },
  create(context) {
    const graph = graphOf(context.sourceCode.parserServices.program);
    if (!known.has(graph)) known.set(graph, partsOf(graph));
    const parts = known.get(graph);
    return eachImport(context, (node, target) => {
      if (parts.get(target) !== parts.get(context.filename)) return;
      context.report({ node, messageId: "cycle", data: { file: node.source.value } });
    });
  },
};
