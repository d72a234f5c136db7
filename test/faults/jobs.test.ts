/** Whatever meets a command that writes, at each of its writes. */
import { hold } from "../jobs/hold";

jest.setTimeout(1_800_000); // whole runs, two for each case

hold({ isEvery: true });
