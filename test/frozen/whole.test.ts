/** The whole upgrade does what it did. */
import { keep } from "./kept";

keep((title) => title.startsWith("upgrade."));
