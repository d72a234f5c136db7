// After `npm pack`: puts back the package.json that prepack.mjs has kept.
import { putBack } from "./manifest.mjs";

putBack();
