/** Every variable that the webhook reads: what holds without it, and what it means, for help and pages. */
export const settings = {
  ENGINE_WEBHOOK_HOST: ["all addresses", "address to listen on"],
  ENGINE_WEBHOOK_PORT: ["8443", "HTTPS port of POST /admission and the probes"],
  ENGINE_WEBHOOK_TLS_DIR: [
    "required, except by renew",
    "folder with cert and privateKey, reread when it changes",
  ],
  ENGINE_WEBHOOK_OWN_CERT: [
    "false",
    "make and renew the Secret admission-tls; needs the rights of manifests/webhook-own-cert",
  ],
  ENGINE_WEBHOOK_ROLE: [
    "both",
    "serve answers reviews and never renews, renew renews and opens no port, both does both",
  ],
  ENGINE_WEBHOOK_METRICS_PORT: ["8080", "plain HTTP port of the probes; 0 turns it off"],
  ENGINE_WEBHOOK_CLUSTERS: [
    "api",
    "where the clusters (EC) come from: api, or file:PATH (YAML or JSON)",
  ],
  ENGINE_NAMESPACE: ["engine", "the operator's namespace"],
  ENGINE_NAMES: ["the default names", "names file of a brand, as for the plugin"],
  ENGINE_WEBHOOK_POLICY_READING: ["target", "step judges the size of the step, not the target"],
  ENGINE_WEBHOOK_ALLOW_LATEST: [
    "by the EC",
    "whether latest is accepted as an engineVersion: true, false; unset, while the upgrade policy of its EC is latest",
  ],
  ENGINE_WEBHOOK_RULES: [
    "version=deny,policy=deny,modules=deny",
    "what each rule does: deny, warn or off",
  ],
  ENGINE_WEBHOOK_BYPASS_GROUPS: [
    "nobody",
    "groups whose members may bypass the rules in an emergency",
  ],
  ENGINE_WEBHOOK_BYPASS_MAX: ["24h", "how far ahead the end of such an emergency may be"],
  ENGINE_WEBHOOK_CLIENT_CA: [
    "none",
    "PEM file, reread when it changes: callers of /admission and /explain need a certificate of this CA",
  ],
  ENGINE_WEBHOOK_CLIENT_SUBJECTS: [
    "all of the CA",
    "common names that such a certificate may have",
  ],
  ENGINE_WEBHOOK_MAX_BODY: ["8Mi", "largest review: it carries an object twice"],
  ENGINE_WEBHOOK_MAX_IN_FLIGHT: [
    "128",
    "reviews at once; above that 429 and Retry-After; a quarter of them may wait for the API server, above that 503",
  ],
  ENGINE_WEBHOOK_DRAIN: ["15s", "how long it continues serving after SIGTERM, SIGINT or SIGHUP"],
  ENGINE_WEBHOOK_END_WITH_STDIN: [
    "false",
    "drain when stdin ends, for one that another process starts",
  ],
  LOG_LEVEL: ["info", "the least severe lines that are logged; one JSON line per review on stdout"],
} as const satisfies Readonly<Record<string, readonly [unset: string, means: string]>>;

/** The name of such a variable. */
export type SettingName = keyof typeof settings;
