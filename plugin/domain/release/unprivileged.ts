/** Where releases stop to need a constraint (S31). */

/** From this release on nothing runs with extra permissions or capabilities (S31). */
export const unprivilegedFrom = "7.22.0-6";
