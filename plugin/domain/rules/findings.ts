/** What `explain` and reports say of the rules: a code for each, and those of judging what no webhook is asked about. */
import { error, type Explained, warning } from "../base/findings";
import { bindFindings } from "../names/codes";
import type { Cause } from "./types";

/** One code for each rule, and for an EC that cannot be looked up. */
const rules: Readonly<Record<Cause["rule"], Explained>> = {
  R1: error("R1", "S61", {
    cause:
      "the cluster does not bundle the engine version that the edit sets, or it is not a string",
    fix: "set one of the versions that the denial lists, or upgrade the cluster first with upgrade-cluster",
  }),
  R2: error("R2", "S67", {
    cause:
      "the edit upgrades the database to a minor release, and the cluster's upgrade policy is major",
    fix: "set a version that the denial lists, or change the cluster's upgrade policy first",
  }),
  R3: error("R3", "S56", {
    cause:
      "the edit names a module that the cluster neither bundles nor defines as a user-defined module",
    fix: "add the module to the cluster's list of user-defined modules, or remove it from the edit; modules in-use shows which databases use which modules",
  }),
  REF: error("REF", "S61", {
    cause:
      "the database refers to a cluster that does not exist in the namespaces that the denial names",
    fix: "correct the name of the cluster in the database, or create that cluster",
  }),
};

/** By a short name; those of the rules under their own. */
export const ruleFindings = {
  ...rules,
  unevaluated: warning("RULES-NOT-EVALUATED", "C17", {
    cause:
      "the rules that rest on a cluster were not evaluated: the one of the database is not at hand",
    fix: "give the clusters with --clusters, put them among the files, or read them with --live",
  }),
  warned: warning("RULES-WARNING", "C7, C17, C19", {
    cause: "the admission webhook lets the edit pass, and warns",
    fix: "see that this is intended",
  }),
  nearMiss: error("MANIFEST-NEAR-MISS", "S56", {
    cause:
      "an object of the product's group has a kind, a version or a field that the product does not have, and nearly one that it has: kubectl refuses it",
    fix: "write the kind, the version or the field as the finding says",
  }),
  otherKind: warning("MANIFEST-OTHER-KIND", "S56", {
    cause:
      "an object has one of the product's kinds in another group, or another kind of its group: the rules do not check it",
    fix: "see that this is intended",
  }),
  candidates: warning("MANIFEST-TWICE", "C16", {
    cause:
      "several documents describe one cluster, and they differ: what depends on which of them counts is not evaluated",
    fix: "check what is applied: kustomize build FOLDER | kubectl engine validate -f -",
  }),
  nothing: warning("MANIFEST-NOTHING", "S56", {
    cause: "the files hold no database: the rules had nothing to check",
    fix: "give the files of the databases; -R reads the folders within folders too",
  }),
  template: warning("MANIFEST-TEMPLATE", "S56", {
    cause: "files are templates of manifests: what comes of them was not checked",
    fix: "render them first: helm template CHART | kubectl engine validate -f -",
  }),
  unrendered: warning("MANIFEST-NOT-RENDERED", "S56", {
    cause:
      "a kustomization, an application or a release changes or brings objects of the product, or may: what comes of it was not checked",
    fix: "render it, and check what comes of it: kubectl kustomize FOLDER | kubectl engine validate -f -",
  }),
  unreadable: error("MANIFEST-UNREADABLE", "exit code 2", {
    cause: "a file cannot be read as manifests: what it holds was not checked",
    fix: "correct the file at the place that the finding names, then run again",
  }),
} satisfies Readonly<Record<string, Explained>>;

/** Makes a finding of one of them. */
export const ruleFinding = bindFindings(ruleFindings);
