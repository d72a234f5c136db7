/** The process that renews the certificate and serves nothing: it opens no port (ENGINE_WEBHOOK_ROLE). */
import { connect } from "./clusters-connection";
import type { Config } from "./config";
import type { Log } from "./log";
import { CertificateKeeper } from "./own-cert-keeper";
import { ownNamespace } from "./own-namespace";

/** Serves no pair, so that it waits for none and takes none over. */
const servesNone = { loaded: () => true, offer: () => Promise.resolve() };

/** Renews until it is stopped; throws why there is no way to the API server. */
export function startRenewal(
  { rules: { names }, operatorNamespace, unknown }: Config,
  log: Log,
  { env }: { readonly env: NodeJS.ProcessEnv },
): { stop(): Promise<void> } {
  if (unknown.length > 0) log.warn({ names: unknown }, "unknown settings");
  const namespace = ownNamespace(operatorNamespace);
  const keeper = new CertificateKeeper({
    self: { names, namespace },
    sender: connect(env),
    certificate: servesNone,
    log,
    own: true,
  });
  keeper.start();
  log.info({ namespace, secret: names.webhook.secret }, "renewing the certificate");
  return {
    stop: () => {
      keeper.stop();
      log.info({}, "stopped");
      return Promise.resolve();
    },
  };
}
