/** The writes of a swap as a plan shows them. */
import type { KubeObject } from "../../domain/objects";
import { differences } from "../../domain/operator/differences";
import { own } from "../../domain/values";
import { configurationResource, entriesOf } from "../../domain/webhook/configuration";
import type { Plan } from "../../domain/webhook/plan";
import { type PlannedChange, plannedWrite, type PlannedWrite } from "../planned";
import type { SwapDeps } from "./deps";
import { configurationRef } from "./writes";

const { plural } = configurationResource;

/** The one apply: created where none was, changed in place where one is. */
export function applyWrite({ command, names }: SwapDeps, { live, wanted }: Plan): PlannedWrite {
  const { name = "" } = wanted.metadata;
  return plannedWrite({
    verb: live === undefined ? "create" : "patch",
    ref: configurationRef(name),
    before: live,
    changes: changesOf(names, { live, wanted }),
    risk: "while it is wrong it blocks every database edit, or lets bad ones through",
    reverse:
      live === undefined
        ? "the run deletes it again when the proof fails"
        : "the run saves the object and puts it back when the proof fails",
    command: command([
      "kubectl",
      "apply",
      "--server-side",
      `--field-manager=${names.fieldManager}`,
      "-f",
      "-",
    ]),
  });
}

/**
 * Field by field, so that a configuration that comes to exist meanwhile is a narrower write. Each apply
 * carries the certificate of that moment, which the operator may renew between plan and write.
 */
function changesOf(
  { webhook }: SwapDeps["names"],
  { live, wanted }: Pick<Plan, "live" | "wanted">,
): readonly PlannedChange[] {
  const { apiVersion, kind } = wanted;
  const webhooks = entriesOf(wanted).map((entry) => ({
    name: own(entry, "name"),
    clientConfig: {},
  }));
  const found = differences(live ?? { apiVersion, kind, metadata: {}, webhooks }, wanted);
  const isCertificate = ({ path }: PlannedChange): boolean => path.endsWith(".caBundle");
  return [
    ...found
      .map(({ field, wanted: to }) => ({ path: field, to }))
      .filter((change) => !isCertificate(change)),
    { path: ".webhooks.clientConfig.caBundle", to: `the certificate in Secret/${webhook.secret}` },
  ];
}

/** The deletion of the old configuration. */
export function deleteWrite({ command }: SwapDeps, object: KubeObject): PlannedWrite {
  const { name = "" } = object.metadata;
  return plannedWrite({
    verb: "delete",
    ref: configurationRef(name),
    before: object,
    risk: "nothing, once the new one is proven: it is deleted only then",
    reverse: "the run saves the object; the report prints the command that makes it again",
    command: command(["kubectl", "delete", plural, name]),
  });
}
