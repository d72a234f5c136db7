/**
 * How a definition converts its objects between versions (Facts 8). Every read of the kind fails while
 * it points at a Service that is gone, and an apply of a file without the field leaves it as it is.
 */
import type { Finding } from "../base/findings";
import { kubectl } from "../base/remedy";
import type { Names } from "../names/names";
import { operatorFinding } from "./findings";
import type { DefinitionConversion } from "../kube/models";
import type { KubeObject } from "../kube/objects";
import { asString, getOwn, getPath, omit, sameJson } from "../base/values";

const conversionPath = ["spec", "conversion"];

/** What a definition without the field has: the API server fills it in. */
export const noConversion = { strategy: "None" } as const satisfies DefinitionConversion;

/** The Service that a definition converts through; undefined where it converts through none. */
export function findConversionService(
  definition: KubeObject,
): { readonly name: string; readonly namespace: string } | undefined {
  const conversion = getPath(definition, conversionPath);
  if (getOwn(conversion, "strategy") !== "Webhook") return undefined;
  const service = getPath(conversion, ["webhook", "clientConfig", "service"]);
  const name = asString(getOwn(service, "name"));
  const namespace = asString(getOwn(service, "namespace"));
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** A conversion that the release does not have; `wanted` absent: no release is at hand. */
export interface ConversionVerdict {
  /** `broken`: its Service is gone; `beyond`: the release has another one, or none. */
  readonly is: "fine" | "broken" | "beyond";
  /** In words, "" where it is fine. */
  readonly because: string;
}

/** Judges a stored conversion; `isThere` undefined: whether its Service exists is not known. */
export function judgeConversion(
  live: KubeObject,
  wanted: KubeObject | undefined,
  isThere: boolean | undefined,
): ConversionVerdict {
  const has = getPath(live, conversionPath) ?? noConversion;
  const service = findConversionService(live);
  const through =
    service === undefined
      ? `strategy ${String(getOwn(has, "strategy"))}`
      : `Service ${service.namespace}/${service.name}`;
  if (service !== undefined && isThere === false) {
    return { is: "broken", because: `it converts through ${through}, which does not exist` };
  }
  const asked = getPath(wanted, conversionPath) ?? noConversion;
  if (wanted === undefined || sameJson(asked, has) || isSameWay(asked, has)) {
    return { is: "fine", because: "" };
  }
  return { is: "beyond", because: `it converts through ${through}, and the release does not` };
}

/** Both leave objects as they are, or convert through the same Service: the CA is not in a file. */
function isSameWay(one: unknown, other: unknown): boolean {
  const strategies = [one, other].map((conversion) => getOwn(conversion, "strategy"));
  if (strategies[0] !== strategies[1]) return false;
  const services = [one, other].map((conversion) =>
    ["name", "namespace"].map((key) =>
      getPath(conversion, ["webhook", "clientConfig", "service", key]),
    ),
  );
  return sameJson(services[0], services[1]);
}

/** The release's definition without a conversion of strategy None: an apply of it cannot take a webhook away. */
export function dropNone(definition: KubeObject): KubeObject {
  if (getPath(definition, [...conversionPath, "strategy"]) !== "None") return definition;
  return { ...definition, spec: omit(definition["spec"] as { conversion: unknown }, "conversion") };
}

/**
 * What an answer of the API server means that says a conversion webhook failed: every read of the
 * kind fails until the conversion answers again, or is taken out of the definition.
 */
export function conversionFailure(message: string, names: Names): Finding | undefined {
  const found =
    /conversion webhook for ([^/\s]+)\/[^,\s]+, Kind=(\w+?)(?:List)? failed: (.+)/s.exec(message);
  const [, group, kind = "", why = ""] = found ?? [];
  if (group === undefined) return undefined;
  const known = [names.ec, names.edb, names.eaadb, names.erc].find((one) => one.kind === kind);
  const definition = `${known?.plural ?? `${kind.toLowerCase()}s`}.${group}`;
  const [, service, namespace] = /https:\/\/([^./\s]+)\.([^./\s]+)\.svc/.exec(why) ?? [];
  const through = service === undefined ? "a webhook" : `Service ${String(namespace)}/${service}`;
  const conversion: DefinitionConversion = { strategy: "None", webhook: null };
  const patch = JSON.stringify({ spec: { conversion } });
  return operatorFinding("definitionConversion", {
    object: `CustomResourceDefinition/${definition}`,
    field: "spec.conversion",
    cause: `it converts through ${through}, which does not answer, so that its objects cannot be read: ${why}`,
    remedies: [
      kubectl(
        "let what converts answer again, or, where the release has no conversion, take it out",
        ...["patch", "customresourcedefinition", definition, "--type=merge", `--patch=${patch}`],
      ),
    ],
  });
}
