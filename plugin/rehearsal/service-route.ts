/** Which Service the webhook program plays, and whether anybody would be reached behind it. */
import { kinds } from "../domain/kinds";
import type { Names } from "../domain/names";
import { asString, getPath } from "../domain/values";
import { readyEndpoints } from "../domain/webhook/readiness";
import type { ServiceRoute } from "./admission/targets";
import type { StateView } from "./model";

/** Where the program listens; undefined when none was started, for want of a key pair. */
export interface Played {
  readonly namespace: string;
  readonly names: Names;
  readonly port: number | undefined;
}

/** The operator's Service leads to the program while it has ready endpoints; others lead nowhere. */
export function routeTo({ namespace, names, port }: Played): ServiceRoute {
  return (service, state) => {
    if (service.namespace !== namespace || service.name !== names.webhook.service) return undefined;
    if (port !== undefined && isServed(service, state)) return { host: "127.0.0.1", port };
    const address = asString(
      getPath(state.get(kinds.service, service.name, namespace), ["spec", "clusterIP"]),
    );
    return {
      refused: `dial tcp ${address ?? "10.96.0.1"}:${service.port}: connect: connection refused`,
    };
  };
}

function isServed(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  state: StateView,
): boolean {
  const slices = state
    .list(kinds.endpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  return readyEndpoints(slices) > 0;
}
