/** What a webhook's certificate is to the API server that is played: Go's verdict, in its words. */
import { oncePer } from "../../domain/base/values";
import type { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { judgeServed, rootsIn, type ServedChain } from "../../adapters/http/x509/judge";
import type { ParsedCertificate } from "../../adapters/http/x509/parse";
import { decodeBase64 } from "../../adapters/http/x509/pem";
import { ApiError } from "../../domain/base/errors";

/** Why a webhook gave no verdict; the message is what follows `failed calling webhook "x": `. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/** A request that was not answered: `why` follows the address. */
export function notAnswered(url: string, why: string): CallFailure {
  return new CallFailure(`failed to call webhook: Post ${JSON.stringify(url)}: ${why}`);
}

/** The refusal of a write because a webhook with failurePolicy Fail gave no verdict. */
export function refuseFailedCall(entry: string, { message }: CallFailure): ApiError {
  const why = `failed calling webhook ${JSON.stringify(entry)}: ${message}`;
  return new ApiError(`Internal error occurred: ${why}`, {
    status: 500,
    reason: "InternalError",
    causes: [{ message: why }],
  });
}

const readSystem = oncePer((pems: readonly string[]) => rootsOfPem(pems.join("\n")));

/** The authorities of a caBundle as stored; those of the system where it is empty. Throws CallFailure. */
export function readRoots(caBundle: string): readonly ParsedCertificate[] {
  if (caBundle === "") return readSystem(rootCertificates);
  return rootsOfPem(decodeBase64(caBundle)?.toString("latin1") ?? "");
}

function rootsOfPem(pem: string): readonly ParsedCertificate[] {
  const found = rootsIn(pem);
  if ("roots" in found) return found.roots;
  throw new CallFailure(`could not get REST client: ${found.problem}`);
}

/** What is wrong with what the server sent, undefined when nothing is. */
export function judgePeer(
  peer: X509Certificate,
  expected: Omit<ServedChain, "served">,
): string | undefined {
  return judgeServed({ ...expected, served: listSent(peer) });
}

/** The certificate and those that came with it. */
function listSent(peer: X509Certificate): readonly Buffer[] {
  const sent: Buffer[] = [];
  for (
    let next: X509Certificate | undefined = peer;
    next !== undefined && !sent.some((raw) => next?.raw.equals(raw));
    next = next.issuerCertificate
  ) {
    sent.push(next.raw);
  }
  return sent;
}
