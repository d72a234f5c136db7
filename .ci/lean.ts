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

/** express brings along a reader of bodies of whatever encoding; the webhook reads its own. */
export const leanWebhook: Plugin = {
  name: "lean-webhook",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]body-parser[\\/]index\.js$/ }, () => ({
      contents: "module.exports = {};",
      loader: "js",
    }));
  },
};
