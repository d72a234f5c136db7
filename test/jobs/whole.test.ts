/** Whatever meets the whole upgrade, at its first and its last write. */
import { hold } from "./hold";

hold({ job: ({ isWhole }) => isWhole === true, isEvery: false });
