/** A login at an identity provider, renewed by the plugin and by kubectl in turn. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OidcIssuer, oidcUser, startOidcIssuer } from "../support/oidc-issuer";
import { certify } from "../support/tls";
import { type ControlPlane, type Server, startControlPlane } from "./control-plane";
import { until } from "./until";

const user = "jane@example.com";
let controlPlane: ControlPlane;
let issuer: OidcIssuer;
let server: Server;
let kubeconfig: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const authority = certify({ commonName: "corporate" });
  const caFile = join(controlPlane.site.dataDir, "corporate.pem");
  writeFileSync(caFile, authority.cert);
  issuer = await startOidcIssuer({
    pair: certify({ commonName: "idp", ips: ["127.0.0.1"] }, authority),
    user,
  });
  issuer.manner.groups = ["system:masters"];
  const oidc = { issuer: issuer.url, clientId: issuer.clientId, caFile };
  server = await controlPlane.addServer({ oidc });
  kubeconfig = join(controlPlane.site.dataDir, "jane.json");
  const own = { "idp-certificate-authority": caFile };
  const ca = Buffer.from(server.ca).toString("base64");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
      contexts: [{ name: "here", context: { cluster: "here", user: "jane" } }],
      clusters: [
        { name: "here", cluster: { server: server.url, "certificate-authority-data": ca } },
      ],
      users: [{ name: "jane", user: oidcUser(issuer, own) }],
    }),
  );
  // the API server fetches the provider's keys when it has started
  await until("the provider's keys", async () => {
    const args = ["get", "namespaces", "--token", issuer.idToken(600)];
    return (await controlPlane.kubectl(args, { kubeconfig })).code === 0 || undefined;
  });
});

afterAll(async () => {
  await issuer.close();
  await server.stop();
  await controlPlane.stop();
});

test("the API server accepts the token, and the login serves plugin and kubectl in turn", async () => {
  // tokens that count as expired as soon as they are there: each command renews the login
  issuer.manner.lifetime = 9;
  const steps = [
    ["engine", "status", "-n", "default"],
    ["get", "namespaces"],
    ["engine", "status", "-n", "default"],
    ["get", "namespaces"],
  ];
  for (const args of steps) {
    const before = issuer.renewals.length;
    const mark = await controlPlane.auditMark();
    const { stderr } = await controlPlane.kubectl(args, { kubeconfig });
    expect(stderr).not.toMatch(/OIDC|refresh|logged in/);
    const seen = (await controlPlane.auditEvents(mark)).filter((event) =>
      event.user.username.endsWith(user),
    );
    expect(seen.length).toBeGreaterThan(0);
    expect(issuer.renewals.length).toBeGreaterThan(before);
    expect(readFileSync(kubeconfig, "utf8")).toContain(issuer.refreshToken());
  }
});
