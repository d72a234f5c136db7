/** Callers without a certificate, against a webhook that asks for one: over real TLS, as strangers would. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecureVersion } from "node:tls";
import { aPair } from "../../support/tls";
import { aReview, rightUpdate } from "../reviews";
import { visit as visitAny, type Visit } from "../tls-visit";
import { startWebhookProcess, type WebhookProcess } from "./webhook-process";

const apiserver = aPair({ commonName: "kube-apiserver", clientAuth: true });
const dir = mkdtempSync(join(tmpdir(), "engine-client-ca-"));
const review = JSON.stringify(aReview(rightUpdate));

let webhook: WebhookProcess;
const visit = (parts: Omit<Visit, "port" | "ca" | "body">) =>
  visitAny({ ...parts, body: review, port: webhook.port, ca: webhook.ca });

beforeAll(async () => {
  const file = join(dir, "ca.pem");
  writeFileSync(file, apiserver.certPem);
  webhook = await startWebhookProcess({ ENGINE_WEBHOOK_CLIENT_CA: file });
}, 60_000);

afterAll(async () => {
  await webhook.stop();
  rmSync(dir, { recursive: true });
});

describe.each<SecureVersion>(["TLSv1.3", "TLSv1.2"])("over %s", (version) => {
  test.each(["/admission", "/explain"])(
    "a stranger who takes up an earlier connection of his own is refused by %s",
    async (path) => {
      const { status, session } = await visit({ path, version });
      expect(status).toBe("HTTP/1.1 403");
      const again = await visit({ path, version, session });
      expect(again).toMatchObject({ status: "HTTP/1.1 403", resumed: false });
      expect(webhook.isAlive()).toBe(true);
    },
  );

  test.each(["/admission", "/explain"])(
    "a session that was begun with a certificate opens %s to nobody without one",
    async (path) => {
      const { status, session } = await visit({ path, version, as: apiserver });
      expect(status).toBe("HTTP/1.1 200");
      const again = await visit({ path, version, session });
      expect(again).toMatchObject({ status: "HTTP/1.1 403", resumed: false });
      expect(webhook.isAlive()).toBe(true);
    },
  );
});
