import type { ContractGroup } from "../world";
import { access } from "./access";
import { admission } from "./admission";
import { applying } from "./applying";
import { callOuts } from "./call-outs";
import { configurations } from "./configurations";
import { definitions } from "./definitions";
import { dumps } from "./dumps";
import { escalation } from "./escalation";
import { patching } from "./patching";
import { quotas } from "./quotas";
import { reading } from "./reading";
import { status } from "./status";
import { storing } from "./storing";
import { watching } from "./watching";
import { writing } from "./writing";

/** The whole contract. */
export const groups: readonly ContractGroup[] = [
  reading,
  writing,
  storing,
  dumps,
  patching,
  applying,
  configurations,
  definitions,
  access,
  escalation,
  admission,
  callOuts,
  quotas,
  status,
  watching,
];
