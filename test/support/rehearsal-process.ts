/** A rehearsal's webhook and its folder, held by a process that a test kills. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { makeWebhookFolder, startWebhookProcess } from "../../plugin/simulator/webhook-process";
import { aPair } from "./tls";

const { certPem: cert, keyPem: key } = aPair({ names: ["admission.engine.svc"] });
const folder = makeWebhookFolder({ namespace: "engine", cert, key }, [], names);
const { signal } = new AbortController();
const file = process.argv[2] ?? "";
void startWebhookProcess({
  ...folder,
  file,
  namesFile: undefined,
  namespace: "engine",
  signal,
}).then(() => {
  process.send?.(folder.tlsDir);
});
