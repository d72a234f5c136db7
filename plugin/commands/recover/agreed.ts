/** The end of a recovery, as the cluster shows it. */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { objectLabel } from "../../domain/kube/objects";
import { recoveryFinding } from "../../domain/recovery/findings";
import { modulesApart } from "../../domain/recovery/line";
import { lookAt, type RecoverContext } from "./read";

/** The last look: nothing is frozen, and no resource asks for less than what runs. */
export async function agreed(context: RecoverContext): Promise<string> {
  const { deps } = context;
  const { facts, freeze, ec, api } = await lookAt(context);
  const label = objectLabel(ec);
  if (freeze.is !== "frozen" && freeze.apart.length === 0) {
    const stands = `${label} is in state ${freeze.state}`;
    if (api === undefined) return `${stands}, as far as the resources tell`;
    const apart = modulesApart(facts, freeze.databases, api);
    deps.recorder.addFindings(apart);
    return apart.length === 0
      ? `${stands}, resources and databases agree`
      : `${stands}, resources and databases agree in their versions, and differ in their modules`;
  }
  const causes = freeze.causes.map(({ finding }) => finding);
  const left = recoveryFinding("notResumed", { object: label, cause: `still so: ${freeze.says}` });
  throw new BlockedError(exitCodes.failed, causes.length > 0 ? causes : [left]);
}
