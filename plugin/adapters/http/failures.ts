/** Requests without an answer, as errors of the contract: by code, never by message text. */
import { UnavailableError } from "../../domain/base/errors";
import { asString, getOwn } from "../../domain/base/values";
import type { NoAnswer } from "./answer";
import { ProxyError } from "./tunnel";

/** A server in messages, and what helps when it does not answer. */
export interface Server {
  /** `the API server`. */
  readonly title: string;
  readonly address: string;
  /** What is said of a certificate that nobody trusted has signed. */
  readonly strangeIssuer: string;
  readonly hints: {
    readonly network: string;
    /** Beside checking the proxy. */
    readonly proxy?: string;
    readonly issuer: string;
    readonly otherName: string;
    readonly certificate: string;
    /** For a write whose outcome is open. */
    readonly outcome: string;
  };
}

/** What a request was for: `apply secrets/x in namespace y`. */
export interface Purpose {
  readonly subject: string;
  /** True when the server may have changed something. */
  readonly writes: boolean;
}

const otherName = "it is for another name";

/** What is wrong with a certificate, by code. */
const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  CERT_REVOKED: "it was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
};

/** Codes of a certificate that nobody trusted has signed. */
const unknownIssuer = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_CHAIN_TOO_LONG",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
];

/** What stood in the way, and for a write whether it may have happened. */
export function explainSilence(
  failure: NoAnswer,
  server: Server,
  { subject, writes }: Purpose,
): UnavailableError {
  const { cause, code, sent, message: why } = failure;
  const { title, address, hints } = server;
  const whom = `${title} ${address}`;
  if (cause instanceof ProxyError) return proxyFailure(cause, whom, hints.proxy);
  if (isCertificateFailure(failure)) return certificateFailure(failure, server);
  if (writes && sent) {
    return new UnavailableError(
      `cannot tell whether the request to ${subject} was carried out: it was sent to ${address}, then ${why}`,
      { cause, hint: hints.outcome },
    );
  }
  const goal = sent ? `no answer to ${subject} from` : "cannot reach";
  return new UnavailableError(`${goal} ${whom}: ${why}`, {
    cause,
    hint: code === "REQUEST_TIMEOUT" ? "give more time with --request-timeout" : hints.network,
  });
}

/** The proxy on the way to `whom` is in the way. */
export function proxyFailure(
  { proxy, message, cause }: ProxyError,
  whom: string,
  more = "",
): UnavailableError {
  return new UnavailableError(`the proxy ${proxy.shown} opened no way to ${whom}: ${message}`, {
    cause,
    hint: unknownIssuer.includes(asString(getOwn(cause, "code")) ?? "")
      ? "name the CA that signed the proxy's certificate in SSL_CERT_FILE; for the API server also in certificate-authority of the kubeconfig"
      : `check the proxy that ${proxy.setting} names${more}`,
  });
}

/** The server's certificate was not accepted: nothing was sent. */
export function isCertificateFailure({ code }: NoAnswer): boolean {
  return code in certificateWords || unknownIssuer.includes(code);
}

function certificateFailure({ code, cause }: NoAnswer, server: Server): UnavailableError {
  const { title, address, strangeIssuer, hints } = server;
  const why = certificateWords[code] ?? strangeIssuer;
  const named = why === otherName ? hints.otherName : hints.certificate;
  return new UnavailableError(
    `the certificate of ${title} ${address} is not accepted: ${why} (${code})`,
    { cause, hint: unknownIssuer.includes(code) ? hints.issuer : named },
  );
}
