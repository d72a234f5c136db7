/** The webhook's Secret and its certificate, by the checks that every command shares (S27, S28; domain facts 4.2). */
import {
  absentSecret,
  certificateChecks as judged,
  judgeCertificate,
  secretAbsent,
} from "../certificate";
import { factNamed } from "../facts";
import { candidatesOf } from "../webhook/configuration";
import { type Check, checksOf } from "./check";
import type { Situation } from "./situation";

const { shared } = checksOf("certificate");

/** What is so when nothing is found. */
const titles: Readonly<Record<string, string>> = {
  "SECRET-TYPE": "The webhook's Secret is of type Opaque",
  "SECRET-ITEMS": "The webhook's Secret holds the two items",
  "SECRET-NO-CERT": "The webhook's Secret holds the certificate",
  "SECRET-NOT-PEM": "The certificate is PEM, encoded once",
  "SECRET-PRIVATE-KEY-IN-CERT": "The certificate item holds no private key",
  "CERT-SAN": "The certificate is made for the webhook's Service",
  "CERT-EXPIRED": "The certificate has not expired",
  "CERT-NOT-YET-VALID": "The certificate is valid already",
  "CERT-KEY-MISMATCH": "Certificate and private key belong together",
  "CERT-EXPIRES-SOON": "The certificate is good for a while",
  "CERT-WEAK": "The certificate is strong enough",
  "CERT-CHAIN": "The certificates form a chain",
};

/** The checks of the certificate. */
export const certificateChecks: readonly Check[] = [
  shared(secretAbsent, {
    title: "The webhook's Secret exists where a webhook is in use",
    needs: ["webhookSecrets", "webhookConfigurations", "services"],
    judge: (situation) => {
      const { facts, names } = situation;
      if (facts.objects.webhookSecrets.length > 0 || !isInUse(situation)) return [];
      return [absentSecret(facts.namespace, names)];
    },
  }),
  ...judged.map((entry) =>
    shared(entry, {
      title: String(titles[entry.code]),
      needs: ["webhookSecrets"],
      wants: "certificate",
      judge: ({ facts, names }) =>
        facts.certificate === undefined
          ? []
          : judgeCertificate(facts.certificate, {
              namespace: facts.namespace,
              now: facts.now,
              names,
            }).filter(({ code }) => code === entry.code),
    }),
  ),
];

/** S24: nothing is asked of an admission controller that is not there. */
function isInUse({ facts, names }: Situation): boolean {
  return (
    candidatesOf(facts.objects.webhookConfigurations, names).length > 0 ||
    factNamed(facts, "services", { name: names.webhook.service }) !== undefined
  );
}
