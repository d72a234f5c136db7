/** Where releases stop to need a constraint (S31). */
import { tables } from "./tables";

/** From this release on nothing runs with extra permissions or capabilities (S31). */
export const { unprivilegedFrom } = tables;
