/** Finds the webhook program that a rehearsal calls. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { UsageError } from "../domain/errors";

/** Where to look. */
export interface WebhookPlaces {
  /** Given by the person: looked at alone. */
  readonly given?: string | undefined;
  /** The running program, or a link to it; the webhook is installed beside it. */
  readonly executable: string;
  readonly path: string | undefined;
}

const name = "engine-webhook";

/** The path of the program; UsageError that names every place looked at when there is none. */
export async function findWebhook({ given, executable, path }: WebhookPlaces): Promise<string> {
  const places =
    given === undefined
      ? [await beside(executable), ...(path ?? "").split(delimiter).map(inFolder)]
      : [given];
  const looked = [...new Set(places.filter((place) => place !== ""))];
  for (const place of looked) {
    if (await isExecutable(place)) return place;
  }
  throw new UsageError(
    given === undefined
      ? `${name} was not found beside this program or on the PATH, a rehearsal calls the real one; looked at ${looked.join(", ")}`
      : `--webhook: ${given} is no executable file`,
    { hint: `install ${name} beside this program, or name it with --webhook FILE` },
  );
}

/** The program may be called by a link in another folder. */
async function beside(executable: string): Promise<string> {
  const file = await realpath(executable).catch(() => executable);
  return join(dirname(file), name);
}

function inFolder(folder: string): string {
  return folder === "" ? "" : join(folder, name);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
