/** The environment, parsed once at start; every problem is named at once (cli contract). */
import { parseDuration } from "../plugin/domain/base/duration";
import { UsageError } from "../plugin/domain/base/errors";
import { isLabel } from "../plugin/domain/kube/selectors";
import { defaultNames, type Names } from "../plugin/domain/names/names";
import { everyRule, parseRules, policyReadings, rulesForm } from "../plugin/domain/rules/settings";
import type { RuleOptions } from "../plugin/domain/rules/types";
import { errorText, type LogLevel, logLevels } from "./log";
import type { SettingName } from "./settings";
import { readFileSync } from "node:fs";
import { type JudgedNames, judgeNames } from "../plugin/domain/names/judge";
import { decodeText } from "../plugin/adapters/kubernetes/text/encoding";
import { readDocuments } from "../plugin/adapters/kubernetes/text/yaml";

/** Where the ECs come from: the API server, or a file that is read again when it changes. */
export type ClusterSource =
  { readonly from: "api" } | { readonly from: "file"; readonly path: string };

const roles = ["both", "serve", "renew"] as const;

/** What of the webhook's work the process does: answer reviews, renew the certificate, or both. */
export type Role = (typeof roles)[number];

export interface Config {
  readonly role: Role;
  /** Undefined: all addresses. */
  readonly host: string | undefined;
  readonly port: number;
  /** Empty where the process serves nothing. */
  readonly tlsDir: string;
  /** Whether this process makes and renews the certificate. */
  readonly ownCert: boolean;
  /** 0: none. */
  readonly metricsPort: number;
  readonly clusters: ClusterSource;
  readonly operatorNamespace: string;
  readonly rules: RuleOptions;
  /** Groups whose members may pass by the rules in an emergency. */
  readonly bypassGroups: readonly string[];
  /** The longest that a bypass may still last, in milliseconds. */
  readonly bypassMostMs: number;
  /** PEM file of the CA whose certificate TLS requires of callers; undefined: it asks for none. */
  readonly clientCa: string | undefined;
  /** Common names of the callers' certificates; empty: any of the CA. */
  readonly clientSubjects: readonly string[];
  readonly maxBody: number;
  readonly maxInFlight: number;
  readonly drainMs: number;
  /** Whether the process leaves when its stdin ends, as with the process that has started it. */
  readonly endWithStdin: boolean;
  readonly logLevel: LogLevel;
  /** Variables that look like settings and are none; named in the log, for they may be typing errors. */
  readonly unknown: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What a setting names is looked at too, when the setting itself can be read. */
export interface Check {
  readonly name: string;
  /** Settings without which it cannot be judged. */
  readonly needs?: readonly string[];
  /** What is wrong with it, undefined when nothing is. */
  readonly problem: (config: Config) => string | undefined;
}

/** Reads settings one by one, and remembers each name and each problem. */
class Settings {
  readonly problems: string[] = [];
  private readonly wrong = new Set<string>();
  readonly known = new Set<string>();

  constructor(private readonly env: Environment) {}

  /** The parsed value; the default where it is unset or empty, and, with a problem noted, where it is wrong. */
  read<T, U>(name: SettingName, { parse, form }: Form<T>, unset: U): T | U {
    this.known.add(name);
    const text = this.env[name] ?? "";
    if (text === "") return unset;
    const value = parse(text);
    if (value === undefined) this.refuse(name, `${JSON.stringify(text)} is not ${form}`);
    return value ?? unset;
  }

  /** The names of the file that the setting gives, the default ones without it. */
  names(name: SettingName): Names {
    const file = this.read(name, asIs("a file"), "");
    if (file === "") return defaultNames;
    const read = readNames(file);
    if ("names" in read) return read.names;
    for (const problem of read.problems) this.refuse(name, `${file}: ${problem}`);
    return defaultNames;
  }

  refuse(name: string, problem: string): void {
    this.wrong.add(name);
    this.problems.push(`${name}: ${problem}`);
  }

  run(checks: readonly Check[], config: Config): void {
    const fit = ({ name, needs = [] }: Check): boolean =>
      ![name, ...needs].some((each) => this.wrong.has(each));
    for (const { name, problem } of checks.filter(fit)) {
      const found = problem(config);
      if (found !== undefined) this.refuse(name, found);
    }
  }

  unknown(): readonly string[] {
    const settings = Object.keys(this.env).filter((name) => name.startsWith("ENGINE_WEBHOOK_"));
    return settings.filter((name) => !this.known.has(name)).sort();
  }
}

/** How a variable is read, and what is told of a wrong one. */
interface Form<T> {
  readonly parse: (text: string) => T | undefined;
  readonly form: string;
}

const asIs = (form: string): Form<string> => ({ parse: (text) => text, form });
const choice = <T extends string>(form: string, ...all: readonly T[]): Form<T> => ({
  parse: (text) => all.find((each) => each === text),
  form,
});
const duration = (form: string): Form<number> => ({ parse: parseDuration, form });

const aBoolean: Form<boolean> = {
  parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  form: "true or false",
};
const aPort: Form<number> = {
  parse: (text) => parseWhole(text, 0, 65_535),
  form: "a port from 0 to 65535",
};
const aCount: Form<number> = {
  parse: (text) => parseWhole(text, 1, 1e6),
  form: "a whole number from 1",
};
const aNamespace: Form<string> = {
  parse: (text) => (isLabel(text) ? text : undefined),
  form: "the name of a namespace",
};
const aList = { parse: parseList, form: "a list as a,b, without empty parts" };
const aSize = { parse: parseSize, form: "a size such as 8Mi, at most 64Mi" };
const someRules = { parse: parseRules, form: rulesForm };

/** The settings, or a UsageError that names every problem. */
export function parseConfig(env: Environment, checks: readonly Check[] = []): Config {
  const settings = new Settings(env);
  const names = settings.names("ENGINE_NAMES");
  const read = {
    ...readListening(settings, names),
    ...readJudging(settings, names),
    ...callers(settings),
    ...limits(settings),
  };
  const config = Object.freeze({ ...read, unknown: settings.unknown() });
  if (config.port !== 0 && config.port === config.metricsPort) {
    settings.refuse(
      "ENGINE_WEBHOOK_METRICS_PORT",
      `${config.metricsPort} is ENGINE_WEBHOOK_PORT too, choose another`,
    );
  }
  if (config.clientCa !== undefined && config.metricsPort === 0) {
    settings.refuse(
      "ENGINE_WEBHOOK_METRICS_PORT",
      "0 leaves probes no port: with ENGINE_WEBHOOK_CLIENT_CA the other one requires a certificate",
    );
  }
  settings.run(checks, config);
  if (settings.problems.length > 0) throw new UsageError(settings.problems);
  return config;
}

function readListening(settings: Settings, { webhook }: Names) {
  // `both` unless it is set: an installation from before the setting continues renewing
  const role = settings.read(
    "ENGINE_WEBHOOK_ROLE",
    choice("serve, renew or both", ...roles),
    "both",
  );
  const ownCert = settings.read("ENGINE_WEBHOOK_OWN_CERT", aBoolean, false);
  if (role === "renew" && !ownCert) {
    settings.refuse(
      "ENGINE_WEBHOOK_ROLE",
      "renew needs ENGINE_WEBHOOK_OWN_CERT=true, or nothing is renewed",
    );
  }
  const folder = `the folder with ${webhook.secretCert} and ${webhook.secretKey}`;
  const listened = {
    host: settings.read("ENGINE_WEBHOOK_HOST", asIs("an address"), undefined),
    port: settings.read("ENGINE_WEBHOOK_PORT", aPort, 8443),
    metricsPort: settings.read("ENGINE_WEBHOOK_METRICS_PORT", aPort, 8080),
    tlsDir: settings.read("ENGINE_WEBHOOK_TLS_DIR", asIs(folder), ""),
  };
  if (role !== "renew" && listened.tlsDir === "") {
    settings.refuse("ENGINE_WEBHOOK_TLS_DIR", `not set, it has to be ${folder}`);
  }
  return { ...listened, role, ownCert: ownCert && role !== "serve" };
}

function readJudging(settings: Settings, names: Names) {
  const source = { parse: parseSource, form: "api or file:PATH" };
  const reading = choice(policyReadings.join(" or "), ...policyReadings);
  return {
    clusters: settings.read("ENGINE_WEBHOOK_CLUSTERS", source, { from: "api" } as const),
    operatorNamespace: settings.read("ENGINE_NAMESPACE", aNamespace, names.operator.namespace),
    rules: {
      reading: settings.read("ENGINE_WEBHOOK_POLICY_READING", reading, "target"),
      allowLatest: settings.read("ENGINE_WEBHOOK_ALLOW_LATEST", aBoolean, undefined),
      rules: settings.read("ENGINE_WEBHOOK_RULES", someRules, everyRule),
      names,
    },
  };
}

function callers(settings: Settings) {
  const day = 86_400_000;
  const most = duration("a duration such as 30m or 24h");
  const read = {
    bypassGroups: settings.read("ENGINE_WEBHOOK_BYPASS_GROUPS", aList, []),
    bypassMostMs: settings.read("ENGINE_WEBHOOK_BYPASS_MAX", most, day),
    clientSubjects: settings.read("ENGINE_WEBHOOK_CLIENT_SUBJECTS", aList, []),
    clientCa: settings.read("ENGINE_WEBHOOK_CLIENT_CA", asIs("a file"), undefined),
  };
  if (read.clientSubjects.length > 0 && read.clientCa === undefined) {
    settings.refuse(
      "ENGINE_WEBHOOK_CLIENT_SUBJECTS",
      "needs ENGINE_WEBHOOK_CLIENT_CA: without it no client certificate is asked for",
    );
  }
  return read;
}

function limits(settings: Settings) {
  const drain = duration("a duration such as 500ms, 15s or 2m");
  const level = choice(`one of ${logLevels.join(", ")}`, ...logLevels);
  return {
    // One API body is at most 3 MiB and a review carries two objects; Express's 100 kB is too small.
    maxBody: settings.read("ENGINE_WEBHOOK_MAX_BODY", aSize, 8 * 2 ** 20),
    maxInFlight: settings.read("ENGINE_WEBHOOK_MAX_IN_FLIGHT", aCount, 128),
    drainMs: settings.read("ENGINE_WEBHOOK_DRAIN", drain, 15_000),
    endWithStdin: settings.read("ENGINE_WEBHOOK_END_WITH_STDIN", aBoolean, false),
    logLevel: settings.read("LOG_LEVEL", level, "info"),
  };
}

function parseSource(text: string): ClusterSource | undefined {
  if (text === "api") return { from: "api" };
  const path = text.startsWith("file:") ? text.slice("file:".length) : "";
  return path === "" ? undefined : { from: "file", path };
}

/** The names of a file, YAML or JSON, or every problem that stands against it. */
export function readNames(file: string): JudgedNames {
  try {
    const text = decodeText(readFileSync(file));
    const { documents, problems } = readDocuments(text, "marked");
    if (problems.length > 0) return { problems };
    return documents.length > 1
      ? { problems: [`holds ${documents.length} documents where one is expected`] }
      : judgeNames(documents[0]);
  } catch (error) {
    const [reason = ""] = errorText(error).split("\n");
    return { problems: [`cannot be used: ${reason}`] };
  }
}

const largestBody = 64 * 2 ** 20;
const bytes: Readonly<Record<string, number>> = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** `8Mi`, `512Ki`, `1048576` in bytes. */
function parseSize(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d{1,10})(Ki|Mi|Gi|)$/.exec(text) ?? [];
  const size = Number(amount) * (bytes[unit] ?? 0);
  return size > 0 && size <= largestBody ? size : undefined;
}

function parseWhole(text: string, lowest: number, highest: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= lowest && value <= highest ? value : undefined;
}

/** Texts between commas, each at least a character. */
function parseList(text: string): readonly string[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  return parts.includes("") ? undefined : parts;
}
