/** `policy`: the admission rules as objects and patches for the API server; asks no cluster. */
import { UsageError } from "../../domain/base/errors";
import { isLabel } from "../../domain/kube/selectors";
import { renderDocuments } from "../../adapters/kubernetes/text/yaml";
import { matchConditionsPatch, type PatchOperation, schemaPatch } from "./patches";
import { policies } from "./policies";
import type { KubeObject } from "../../domain/kube/objects";
import type { Report } from "../../kernel/report";
import type { CommandContext, CommandRun } from "../../cmdutil/context";
import type { PolicyFlags } from "./flags";

/** Policies and bindings, or a JSON patch with what it is for. */
export interface PolicyDetails {
  readonly manifests?: readonly KubeObject[];
  readonly patch?: readonly PatchOperation[];
}

/** The policies, or the patch that was asked for. */
export const runPolicy: CommandRun<PolicyFlags> = async (context, _args, flags) =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Policy",
    details: buildDetails(context, flags),
    exit: { code: 0, reason: "the rules printed; nothing was written" },
  });

function buildDetails(
  { names, options: global }: CommandContext,
  { mode, rules, schema, matchConditions }: PolicyFlags,
): PolicyDetails {
  const options = { ...rules, names };
  if (schema !== undefined) return { patch: schemaPatch(schema, options) };
  if (matchConditions) return { patch: matchConditionsPatch(options) };
  const operatorNamespace = global.namespace ?? names.operator.namespace;
  if (!isLabel(operatorNamespace)) {
    const typed = JSON.stringify(operatorNamespace);
    throw new UsageError(`--namespace: ${typed} is not the name of a namespace`);
  }
  return { manifests: policies({ options, mode, operatorNamespace }) };
}

/** YAML that kubectl takes: objects to apply, or a patch file. */
export function policyText({ details }: Report): string {
  const { manifests, patch } = details as PolicyDetails;
  return renderDocuments(manifests ?? [patch]);
}
