/** Labels of the world's objects. */
export const deployment = "Deployment/engine/engine-enterprise-operator";
export const ec = "EngineEnterpriseCluster/engine/ec";
export const edb = "EngineEnterpriseDatabase/shop/orders";
export const config = "EngineEnterpriseDatabase/engine/config";
export const eaadb = "EngineEnterpriseActiveActiveDatabase/engine/carts";
export const erc = "EngineEnterpriseRemoteCluster/engine/here";
export const webhook = "ValidatingWebhookConfiguration/engine-enterprise-admission";
export const tls = "Secret/engine/admission-tls";
export const role = "Role/shop/edb-role";
export const binding = "RoleBinding/shop/edb-role";
export const settings = "ConfigMap/engine/operator-environment-config";
export const definition = "CustomResourceDefinition/engineenterpriseclusters.app.engine.com";
