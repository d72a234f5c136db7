/** What the generated API server is told, and by which path it tells. */

/** What the command line says, as JSON. */
export interface ClusterServerOptions {
  readonly port: number;
  /** The folder of its pair. */
  readonly tlsDir: string;
  readonly count: number;
  readonly statusBytes: number;
  readonly changesPerSecond: number;
}

/** Answers with the number of requests so far. */
export const countPath = "/requests";
