/** What the bundles leave out of the libraries that they bring along. */
import type { Plugin } from "esbuild";

/** client-node's modules do nothing when loaded: what nobody names (2.5 MB of API classes) falls away. */
export const leanClient: Plugin = {
  name: "lean-client",
  setup(bundle) {
    bundle.onResolve({ filter: /./, namespace: "file" }, async (asked) => {
      const inClient = asked.importer.includes("/@kubernetes/client-node/");
      const isClient = asked.path.startsWith("@kubernetes/client-node");
      if (
        asked.pluginData === leanClient ||
        !(isClient || (inClient && asked.path.startsWith(".")))
      ) {
        return undefined;
      }
      const { path, errors } = await bundle.resolve(asked.path, {
        importer: asked.importer,
        kind: asked.kind,
        resolveDir: asked.resolveDir,
        pluginData: leanClient,
      });
      return errors.length > 0 ? { errors } : { path, sideEffects: false };
    });
  },
};

/** What the webhook's libraries bring along and it never uses: half of its code, and of its memory. */
const unusedThere: Readonly<Record<string, string>> = {
  // the way to make API clients of a kubeconfig; the webhook makes its requests itself
  "./gen/index.js":
    "export const createConfiguration = undefined, ServerConfiguration = undefined;",
  "node-fetch": "export const { Headers } = globalThis;",
  // reads request bodies, of whatever encoding; the webhook reads its own
  "body-parser": "module.exports = {};",
};

/** Leaves that out. */
export const leanWebhook: Plugin = {
  name: "lean-webhook",
  setup(bundle) {
    bundle.onResolve(
      { filter: /^(\.\/gen\/index\.js|node-fetch|body-parser)$/ },
      ({ path, importer }) =>
        /\/(client-node\/dist\/config\.js|express\/lib\/express\.js)$/.test(importer)
          ? { path, namespace: "unused" }
          : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: "unused" }, ({ path }) => ({
      contents: unusedThere[path] ?? "",
      loader: "js",
    }));
  },
};
