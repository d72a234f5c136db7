/** The product's API: its group, its versions and its four kinds. */
import { apiVersion, groupName, kindName, resourceName, title } from "./sorts";

interface KindWords {
  readonly kind: string;
  readonly plural: string;
  readonly short: string;
  readonly says: string;
}

const kindOf = ({ kind, plural, short, says }: KindWords) => ({
  kind: kindName(kind, `Kind of ${says}`),
  plural: resourceName("plural", plural, `Plural of that kind, as URLs and RBAC rules have it`),
  short: resourceName("short", short, `Short name of that kind; in capitals, messages use it`),
});

/** The product, group, versions and kinds. */
export const apiNames = {
  product: title("Engine Enterprise", "The product, as help and messages call it"),
  group: groupName("app.engine.com", "API group of the product's kinds"),
  version: apiVersion("v1alpha1", "Version of the kinds (the cluster's older one)"),
  ecVersion: apiVersion("v1", "Version that cluster resources are stored in"),
  ec: kindOf({
    kind: "EngineEnterpriseCluster",
    plural: "engineenterpriseclusters",
    short: "ec",
    says: "a cluster",
  }),
  edb: kindOf({
    kind: "EngineEnterpriseDatabase",
    plural: "engineenterprisedatabases",
    short: "edb",
    says: "a database",
  }),
  eaadb: kindOf({
    kind: "EngineEnterpriseActiveActiveDatabase",
    plural: "engineenterpriseactiveactivedatabases",
    short: "eaadb",
    says: "an active-active database",
  }),
  erc: kindOf({
    kind: "EngineEnterpriseRemoteCluster",
    plural: "engineenterpriseremoteclusters",
    short: "erc",
    says: "a remote cluster",
  }),
};
