import { plain } from "./plain";
import type { ContractCase, ShortWorld } from "./world";

/** What a case sees in a world, which is given up afterwards. */
export async function seenIn(world: ShortWorld, act: ContractCase["act"]): Promise<unknown> {
  try {
    return plain(await act(world), world.namespace);
  } finally {
    await world.close();
  }
}
