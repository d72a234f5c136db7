/** `kubectl engine check` of a large cluster; how it is measured: commands/look.ts. */
import { benchLook } from "./commands/look";

benchLook(["check", "--target=8.2.0-12", "-o=json"]);
