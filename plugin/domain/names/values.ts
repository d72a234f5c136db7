/** Words that stand as values: engine versions, channels, types and modules. */
import { versions, word, words } from "./sorts";

/** The values. */
export const valueNames = {
  engineDbType: word("engine", "Type of a database that is no memcached one"),
  bundledModules: words(
    ["search", "ReJSON", "timeseries", "bf"],
    "Modules that every cluster has, by the names that manifests give them",
  ),
  moduleDisplayNames: words(
    ["EngineSearch", "EngineJSON", "EngineGears"],
    "Display names of modules, as people know them",
  ),
  engineVersions: versions(
    ["7.2", "7.4", "8.0", "8.2"],
    "Supported versions where a cluster publishes none",
  ),
  majorChannel: word("major", "Channel, and policy, of major versions"),
  latestChannel: word("latest", "Channel, and policy, of all versions"),
};
