/** Judging and rendering the webhook template (S26, S29; domain facts 4.1). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { at, isObject, list, own, shown, text } from "../values";
import { leftovers, replaceTokens } from "../placeholders";
import { entriesOf, serviceNameOf, serviceNamespaceOf } from "./configuration";

/** A rendered template, or every problem that stands against it. */
export type Rendered =
  | { readonly is: "rendered"; readonly configuration: KubeObject }
  | { readonly is: "unfit"; readonly problems: readonly string[] };

/**
 * Puts the namespace in place of every known spelling of the placeholder and judges the outcome.
 * `documents` are the YAML documents of the file; exactly one configuration is wanted.
 */
export function renderTemplate(
  documents: readonly unknown[],
  namespace: string,
  names: Names,
): Rendered {
  const present = documents.filter((document) => document !== null && document !== undefined);
  const first = present[0];
  if (present.length !== 1 || first === undefined) {
    return unfit([`it holds ${present.length} documents where exactly one is wanted`]);
  }
  if (!isObject(first)) return unfit(["it is not a YAML mapping"]);
  const rendered = replaceTokens(first, names.placeholders.namespace, namespace);
  const problems = [
    ...judgeHead(rendered, names),
    ...judgeEntries(rendered, namespace, names),
    ...leftovers(rendered, names).map((token) => `placeholder ${token} is left after rendering`),
  ];
  return problems.length > 0
    ? unfit(problems)
    : { is: "rendered", configuration: rendered as KubeObject };
}

function unfit(problems: readonly string[]): Rendered {
  return { is: "unfit", problems };
}

function judgeHead(rendered: unknown, names: Names): readonly string[] {
  const problems: string[] = [];
  const expect = (path: readonly string[], wanted: string): void => {
    const found = at(rendered, path);
    if (found !== wanted) {
      problems.push(`${path.join(".")} is ${shown(found)}, wanted "${wanted}"`);
    }
  };
  expect(["apiVersion"], "admissionregistration.k8s.io/v1");
  expect(["kind"], "ValidatingWebhookConfiguration");
  expect(["metadata", "name"], names.webhook.configuration);
  return problems;
}

function judgeEntries(rendered: unknown, namespace: string, names: Names): readonly string[] {
  const entries = entriesOf(rendered);
  const entry = entries[0];
  const count = list(own(rendered, "webhooks")).length;
  if (count !== 1 || entry === undefined) {
    return [`webhooks has ${count} entries where exactly one is wanted`];
  }
  const problems: string[] = [];
  if (own(entry, "name") !== names.webhook.entry) {
    problems.push(
      `webhooks[0].name is ${shown(own(entry, "name"))}, wanted "${names.webhook.entry}"`,
    );
  }
  if (own(own(entry, "clientConfig"), "url") !== undefined) {
    problems.push("webhooks[0].clientConfig.url is set where a service is wanted");
  }
  if (text(serviceNameOf(entry)) === undefined) {
    problems.push("webhooks[0].clientConfig.service.name is absent");
  }
  if (serviceNamespaceOf(entry) !== namespace) {
    problems.push(
      `webhooks[0].clientConfig.service.namespace is ${shown(serviceNamespaceOf(entry))} after rendering, wanted "${namespace}"`,
    );
  }
  if (list(own(entry, "rules")).length === 0) problems.push("webhooks[0].rules is empty");
  return problems;
}
