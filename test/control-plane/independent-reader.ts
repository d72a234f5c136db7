/**
 * What is stored, read by client-node's own API classes over its own HTTP: a mistake that the product makes in
 * reading is not made again by what checks its writes.
 */
import {
  AdmissionregistrationV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  RbacAuthorizationV1Api,
  type V1Deployment,
  type V1ManagedFieldsEntry,
  type V1Role,
  type V1RoleBinding,
  type V1ValidatingWebhookConfiguration,
  Watch,
} from "@kubernetes/client-node";
import { defaultNames as names } from "../../plugin/domain/names/names";

/** A change of an object, as a watch tells it. */
export interface Seen {
  readonly type: string;
  readonly name: string;
  readonly resourceVersion: string;
}

/** A watch that goes on until it is closed. */
export interface OpenWatch {
  readonly seen: readonly Seen[];
  close(): void;
}

export class IndependentReader {
  readonly #config = new KubeConfig();

  constructor({ kubeconfig }: { readonly kubeconfig: string }) {
    this.#config.loadFromFile(kubeconfig);
  }

  async configuration(name: string): Promise<V1ValidatingWebhookConfiguration> {
    const api = this.#config.makeApiClient(AdmissionregistrationV1Api);
    return await api.readValidatingWebhookConfiguration({ name });
  }

  async role(namespace: string, name: string): Promise<V1Role> {
    const api = this.#config.makeApiClient(RbacAuthorizationV1Api);
    return await api.readNamespacedRole({ namespace, name });
  }

  async binding(namespace: string, name: string): Promise<V1RoleBinding> {
    const api = this.#config.makeApiClient(RbacAuthorizationV1Api);
    return await api.readNamespacedRoleBinding({ namespace, name });
  }

  async deployment(namespace: string, name: string): Promise<V1Deployment> {
    const api = KubernetesObjectApi.makeApiClient(this.#config);
    const metadata = { namespace, name };
    return await api.read<V1Deployment>({ apiVersion: "apps/v1", kind: "Deployment", metadata });
  }

  /** An EC, of which client-node has no class. */
  async cluster(namespace: string, name: string): Promise<unknown> {
    const { group, version, ec } = names;
    const api = this.#config.makeApiClient(CustomObjectsApi);
    const found: unknown = await api.getNamespacedCustomObject({
      ...{ group, version, namespace, name },
      plural: ec.plural,
    });
    return found;
  }

  /** Follows the webhook configurations from a version of their list on. */
  async watchConfigurations(): Promise<OpenWatch> {
    const api = this.#config.makeApiClient(AdmissionregistrationV1Api);
    const { metadata } = await api.listValidatingWebhookConfiguration();
    const seen: Seen[] = [];
    const aborting = await new Watch(this.#config).watch(
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      { resourceVersion: metadata?.resourceVersion },
      (type, object: V1ValidatingWebhookConfiguration) => {
        const { metadata } = object;
        const [name = "", resourceVersion = ""] = [metadata?.name, metadata?.resourceVersion];
        seen.push({ type, name, resourceVersion });
      },
      () => undefined,
    );
    return {
      seen,
      close: () => {
        aborting.abort();
      },
    };
  }
}

/** Who holds fields, how, and whether a field is among them. */
export function ownersOf(
  fields: readonly V1ManagedFieldsEntry[] | undefined,
  field: string,
): readonly string[] {
  return (fields ?? [])
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"f:${field}"`))
    .map(({ manager, operation }) => `${String(manager)} ${String(operation)}`);
}
