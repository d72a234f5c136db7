/** The step that sets a license names the place from which the EC takes it. */
import { renderFix } from "../../../../plugin/domain/base/remedy";
import { licenseRemedies } from "../../../../plugin/domain/engine-cluster/license";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anEc } from "./scene";

test.each<[string, object, string]>([
  [
    "its Secret",
    { licenseSecretName: "store-license" },
    "kubectl create secret generic store-license --from-file=license=LICENSE_FILE -n engine --dry-run=client -o yaml | kubectl apply -f -",
  ],
  [
    "a vault",
    { licenseSecretName: "store-license", clusterCredentialSecretType: "vault" },
    "put a valid license into item license of store-license where the EC keeps its secrets (spec.clusterCredentialSecretType), which is not Kubernetes: no Secret",
  ],
  [
    "its spec",
    {},
    "kubectl patch engineenterpriseclusters.app.engine.com ec -n engine --type=merge --patch-file LICENSE_PATCH",
  ],
])("%s", (_title, spec, line) => {
  const remedies = licenseRemedies(anEc(spec), names);
  expect(renderFix(remedies)).toContain(line);
  expect(remedies[1]?.says).toContain("REST API (PUT /v1/license)");
});
