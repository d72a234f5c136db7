/**
 * Every kind of document with its `details`; the published schema (docs/reference/documents.schema.json)
 * is made of these types, and `UPDATE_GOLDEN=1 npx jest test/plugin/output/documents.test.ts` makes it anew.
 */
import type { CompletionDetails } from "./completion-scripts";
import type { AdvisoriesDetails } from "../cmdutil/advisories-list";
import type { FilesDetails } from "../commands/advisories/command";
import type { ExplainedAdvisories } from "../commands/explain/advisories";
import type { ExplainedStatements } from "../commands/explain/command";
import type { ModulesInUseDetails, ModulesListDetails } from "../commands/modules/command";
import type { OptionsDetails } from "./options";
import type { PolicyDetails } from "../commands/policy/command";
import type { RecoveryDetails } from "../commands/recover/command";
import type { RehearsalDetails } from "../commands/rehearse/text";
import type { ExampleDetails } from "../commands/rehearse/write-example";
import type { StatusDetails, StatusOverview } from "../commands/status/screen";
import type { UpgradeDetails, UpgradeRunDetails } from "../commands/upgrade/text";
import type { VersionDetails } from "./version";
import type { CertificateDetails } from "../readers/certificate";
import type { Explained } from "../domain/base/findings";
import type { CheckDetails } from "../commands/check/check";
import type { DatabaseReport } from "../commands/upgrade-database/summary";
import type { InstallDetails } from "../commands/modules/install";
import type { BundleDetails } from "../commands/upgrade-operator/changes";
import type { ChartDetails } from "../commands/upgrade-operator/chart-release";
import type { RulesDetails } from "../kernel/report";
import type { UnbindDetails } from "../commands/unbind-scc/unbind";

/** By kind; undefined where a document has no details. */
export interface Documents {
  Advisories: AdvisoriesDetails;
  AdvisoriesLint: FilesDetails;
  AdvisoriesTest: FilesDetails;
  Audit: RulesDetails;
  CertCreate: undefined;
  CertInspect: CertificateDetails;
  Check: CheckDetails;
  Completion: CompletionDetails;
  /** Those of the command whose changes it shows. */
  Diff: Documents["Upgrade" | "UpgradeDatabase" | "UpgradeOperator" | "UpgradeWebhook"];
  Edits: undefined;
  ExampleRelease: ExampleDetails;
  Explanation: Explained | ExplainedStatements | ExplainedAdvisories | AdvisoriesDetails;
  Modules: ModulesListDetails;
  ModulesDefine: undefined;
  ModulesInUse: ModulesInUseDetails;
  ModulesInstall: InstallDetails;
  Options: OptionsDetails;
  Policy: PolicyDetails;
  ReapplyRbac: undefined;
  Recover: RecoveryDetails;
  Rehearsal: RehearsalDetails;
  Status: StatusDetails | StatusOverview;
  UnbindScc: UnbindDetails;
  /** The plan that was only made; else those of the last part that has any. */
  Upgrade:
    | UpgradeDetails
    | (UpgradeRunDetails &
        Partial<
          Documents["UnbindScc"] & Documents["UpgradeDatabase"] & Documents["UpgradeOperator"]
        >);
  UpgradeCluster: undefined;
  UpgradeDatabase: { readonly databases: readonly DatabaseReport[] };
  UpgradeOperator: BundleDetails | ChartDetails;
  /** Of the parts that go with it. */
  UpgradeWebhook: UnbindDetails | undefined;
  Usage: undefined;
  Validation: RulesDetails;
  Version: VersionDetails;
}
