/** The webhook's variables, for the parser, help and pages; in the default names, as they are said before any are read. */
import { defaultNames, renderTerm } from "../plugin/domain/names/names";

const { ec, fields, operator, webhook } = defaultNames;

/** Every variable that the webhook reads: what holds without it, and what it means. */
export const settings = {
  ENGINE_WEBHOOK_HOST: ["all addresses", "address to listen on"],
  ENGINE_WEBHOOK_PORT: ["8443", `HTTPS port of POST ${webhook.path} and the probes`],
  ENGINE_WEBHOOK_TLS_DIR: [
    "none, and serve needs one",
    `folder with ${webhook.secretCert} and ${webhook.secretKey}, reread on change`,
  ],
  ENGINE_WEBHOOK_OWN_CERT: ["false", "make and renew the Secret of the certificate"],
  ENGINE_WEBHOOK_ROLE: [
    "both",
    "serve answers reviews, renew renews the certificate, both does both",
  ],
  ENGINE_WEBHOOK_METRICS_PORT: ["8080", "plain HTTP port of metrics and probes; 0 turns it off"],
  ENGINE_WEBHOOK_CLUSTERS: [
    "api",
    `where the ${renderTerm(ec)}s come from: api, or file:PATH (YAML or JSON)`,
  ],
  ENGINE_NAMESPACE: [operator.namespace, "the operator's namespace"],
  ENGINE_NAMES: ["none", "names file of a brand, as for the plugin"],
  ENGINE_WEBHOOK_POLICY_READING: ["target", "step checks the size of the step, not the target"],
  ENGINE_WEBHOOK_ALLOW_LATEST: [
    `by the ${renderTerm(ec)}'s upgrade policy`,
    `whether ${fields.engineVersion.at(-1)} may be latest`,
  ],
  ENGINE_WEBHOOK_RULES: ["version=deny,policy=deny,modules=deny", "each rule: deny, warn or off"],
  ENGINE_WEBHOOK_BYPASS_GROUPS: ["none", "groups that may bypass the rules in an emergency"],
  ENGINE_WEBHOOK_BYPASS_MAX: ["24h", "how far ahead the end of such an emergency may be"],
  ENGINE_WEBHOOK_CLIENT_CA: [
    "none",
    "PEM file, reread on change: the CA whose certificate the HTTPS port requires of every caller",
  ],
  ENGINE_WEBHOOK_CLIENT_SUBJECTS: [
    "all that the CA signed",
    "common names of the callers' certificates",
  ],
  ENGINE_WEBHOOK_MAX_BODY: ["8Mi", "largest review: it carries an object twice"],
  ENGINE_WEBHOOK_MAX_IN_FLIGHT: ["128", "reviews at once; above that 429 and Retry-After"],
  ENGINE_WEBHOOK_DRAIN: ["15s", "how long it continues serving after SIGTERM, SIGINT or SIGHUP"],
  ENGINE_WEBHOOK_END_WITH_STDIN: ["false", "drain when stdin ends, as with the process behind it"],
  LOG_LEVEL: ["info", "the least severe lines that are logged, in JSON on stdout"],
} as const satisfies Readonly<Record<string, readonly [unset: string, means: string]>>;

/** The name of such a variable. */
export type SettingName = keyof typeof settings;
