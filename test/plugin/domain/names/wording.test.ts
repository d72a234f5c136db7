import { defaultNames } from "../../../../plugin/domain/names/names";
import { judgeNames } from "../../../../plugin/domain/names/judge";
import { wordingOf } from "../../../../plugin/domain/names/wording";
import { usable } from "../../../support/renamed";

const names = usable(
  judgeNames({
    product: "Acme Data",
    ec: { short: "adc" },
    edb: { short: "addb" },
    webhook: { secret: "acme-tls" },
    operator: { namespace: "acme" },
    rbac: { consumerRole: "acme-role", consumerBinding: "acme-binding" },
    fields: { engineVersion: ["spec", "target", "version"], moduleLists: ["plugins"] },
    ecFields: { versionTag: ["spec", "image", "tag"], meterImage: ["spec", "meter"] },
    annotations: { operatorVersion: ["acme.io/new", "acme.io/old"] },
    companion: { deployment: "acme-webhook" },
    engineVersions: ["1.0"],
    engineDbType: "acme",
    majorChannel: "big",
    latestChannel: "newest",
  }),
);
const say = wordingOf(names);

test.each([
  ["a kind's term", "the EC holds EDBs", "the ADC holds ADDBs"],
  ["its possessive", "the EC's image", "the ADC's image"],
  ["a short name", "upgrade-cluster ec --target 8.0.2-17", "upgrade-cluster adc --target 8.0.2-17"],
  ["the product", "Upgrade Engine Enterprise", "Upgrade Acme Data"],
  ["an object", "the Secret admission-tls: wait", "the Secret acme-tls: wait"],
  ["an object behind its kind", "Secret/admission-tls", "Secret/acme-tls"],
  ["a path", "set spec.engineVersion to", "set spec.target.version to"],
  ["a field by itself", "an engineVersion of", "an version of"],
  ["a field's parent", "engineEnterpriseImageSpec.repository", "image.repository"],
  ["a spelling", "moduleList or modulesList", "plugins or plugins"],
  ["an annotation", "engine.io/operator-ver", "acme.io/new"],
  ["one word of two names", "edb-role", "acme-role"],
  ["the namespace of an example", "status -n engine", "status -n acme"],
  ["a field's parent that is the root", "what usageMeter holds", "what spec holds"],
  ["the type of a database", "for type engine only", "for type acme only"],
  ["the channels", "the channel major, or latest: all", "the channel big, or newest: all"],
  ["a channel on the command line", "--engine-version latest", "--engine-version newest"],
])("%s is said in the words of the names", (_title, text, said) => {
  expect(say(text)).toBe(said);
});

test.each([
  ["a code", "SCC-NO-EC"],
  ["a flag", "--ec NAME, --ec-service-account"],
  ["this tool's own names", "kubectl engine, kubectl-engine, engine-webhook"],
  ["an English word", "the latest engine version of a major release"],
  ["a longer namespace", "-n engine-two"],
  ["versions and API versions", "7.2 and 8.0 of v1 and v1alpha1"],
])("%s stays", (_title, text) => {
  expect(say(text)).toBe(text);
});

test("the default names say nothing otherwise", () => {
  expect(wordingOf(defaultNames)("the EC of -n engine")).toBe("the EC of -n engine");
});
