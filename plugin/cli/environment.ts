/** Variables of the environment that the plugin reads, beside those that stand in for flags. */
export const environment = {
  KUBECONFIG: "kubeconfig files, merged as kubectl does; else ~/.kube/config",
  ENGINE_HOME:
    "folder for what a run saves before it replaces or deletes; by default ~/.kube/engine",
  ENGINE_HELM: "helm to run for --chart; by default that of the PATH",
  HELM_DRIVER:
    "where helm keeps the records of its releases: secret (its default), configmap or sql",
  ENGINE_ADVISORIES:
    "files of advisories of your own, separated by commas, where --advisories is not given",
  ENGINE_ADVISORIES_SHA256:
    "SHA-256 that they must have, separated by commas, where --advisories-sha256 is not given",
  KUBECTL_EXTERNAL_DIFF: "program that shows the differences of diff",
  PATH: "where helm and engine-webhook are looked for",
  PATHEXT: "on Windows, the extensions of programs, by which helm is found",
  HOME: "the user's folder",
  USERPROFILE: "on Windows, the user's folder, where HOME holds no kubeconfig",
  HOMEDRIVE: "on Windows, the drive of a third such folder",
  HOMEPATH: "on Windows, its path on that drive",
  NO_COLOR: "no color while it is not empty",
  TERM: "dumb: neither color nor lines that are written over",
  HTTPS_PROXY: "proxy for https, in capitals or lower case",
  HTTP_PROXY: "proxy for http, in capitals or lower case",
  NO_PROXY: "hosts that are reached without a proxy, separated by commas",
  SSL_CERT_FILE:
    "file with the CA certificates of the system: what an API server without a CA of its own, a proxy, an identity provider or the server of a release has to fit; for a proxy the kubeconfig's CA counts as well",
  NODE_EXTRA_CA_CERTS: "file with CA certificates beside those of the system",
  KUBERNETES_SERVICE_HOST: "set in a pod: address of the API server, where there is no kubeconfig",
  KUBERNETES_SERVICE_PORT: "set in a pod: its port",
} as const;
