/** `kubectl engine status` of a large cluster; how it is measured: commands/look.ts. */
import { benchLook } from "./commands/look";

benchLook(["status"]);
