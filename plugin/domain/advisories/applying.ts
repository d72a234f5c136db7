/** Which rows apply to a cluster as it is, whatever release it goes to. */
import { diagnose } from "../diagnosis/diagnose";
import type { Sourced } from "./row";
import type { AdvisoryScene } from "./situation";
import { listAdvisories } from "./symptoms";
import { Unknown } from "./values";

/** Whether a row applies. */
export type Applying =
  | { readonly is: "applies"; readonly objects: readonly string[] }
  /** Not whatever release is asked for. */
  | { readonly is: "silent" }
  | { readonly is: "unknown"; readonly because: string };

const anyRelease = new Unknown(
  "it depends on the release that is asked for (see check with --target)",
);

/** Judges each row by itself, in their order; the scene has no target. */
export function listApplying(rows: readonly Sourced[], scene: AdvisoryScene): readonly Applying[] {
  const open: AdvisoryScene = {
    ...scene,
    wanted: { operator: anyRelease, cluster: anyRelease, engine: anyRelease },
  };
  return rows.map((row) => {
    const symptoms = listAdvisories([row]);
    const { findings } = diagnose(symptoms, scene);
    if (findings.length > 0) {
      const objects = new Set(findings.map(({ object }) => object));
      return { is: "applies", objects: [...objects].filter((one) => one !== undefined) };
    }
    const whatever = diagnose(symptoms, open);
    if (whatever.findings.length + whatever.unseen.length === 0) return { is: "silent" };
    // one that counts as holding where it cannot be judged is found here
    const [hidden] = whatever.unseen;
    return { is: "unknown", because: hidden?.because ?? anyRelease.because };
  });
}
