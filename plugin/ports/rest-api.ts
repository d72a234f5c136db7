/** The cluster's REST API as the plugin uses it, as a port (S75-S96; domain facts 9). */
import type { ApiAction } from "../domain/rest-api/actions";
import type {
  ApiDatabase,
  ApiLicense,
  ApiNode,
  InstalledModule,
  InstalledUpload,
} from "../domain/rest-api/records";
import type { Json } from "../domain/base/values";

export type { ApiAction } from "../domain/rest-api/actions";
export type {
  ApiDatabase,
  ApiLicense,
  ApiNode,
  InstalledModule,
  InstalledUpload,
  UsedModule,
} from "../domain/rest-api/records";

/** How far an upload is. */
export interface UploadProgress {
  readonly sent: number;
  readonly of: number;
}

/**
 * The REST API of one cluster. Reads return undefined for 404 (or an empty list where an optional
 * part is not served is told apart by undefined). Errors: ClusterApiError with the server's code and
 * message for an answer that is no success, PermissionError for 401 and 403, UnavailableError without
 * any answer; the outcome of a write is then open, and is looked for in the action list.
 */
export interface ClusterApi {
  /** For people: the address, and how it is reached. */
  readonly address: string;
  databases(signal: AbortSignal): Promise<readonly ApiDatabase[]>;
  database(uid: number, signal: AbortSignal): Promise<ApiDatabase | undefined>;
  /** POST /v1/bdbs/{uid}/upgrade, sent once (S75-S92). */
  upgrade(uid: number, body: Json, signal: AbortSignal): Promise<ApiDatabase>;
  modules(signal: AbortSignal): Promise<readonly InstalledModule[]>;
  /** POST /v2/modules, then the newer endpoints where it has gone (S95). */
  installModule(
    file: { readonly name: string; readonly bytes: Uint8Array },
    options: {
      readonly signal: AbortSignal;
      readonly onProgress?: (progress: UploadProgress) => void;
    },
  ): Promise<InstalledUpload>;
  action(uid: string, signal: AbortSignal): Promise<ApiAction | undefined>;
  /** Actions of a database; undefined where the server keeps no such list. */
  listActions(uid: number, signal: AbortSignal): Promise<readonly ApiAction[] | undefined>;
  license(signal: AbortSignal): Promise<ApiLicense | undefined>;
  nodes(signal: AbortSignal): Promise<readonly ApiNode[] | undefined>;
  policy(signal: AbortSignal): Promise<Json | undefined>;
  close(): void;
}
