/** All constellations: how the account came to the constraint, and what else is around it. */
import { surroundings } from "./surroundings";
import { wayIns } from "./way-ins";

export const constellations = [...wayIns, ...surroundings];
