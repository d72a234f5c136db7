import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "../../plugin/adapters/http/x509/pem";

/** The certificates of a PEM text that can be read, in its order; linear in its length. */
export function certificatesIn(text: string): readonly X509Certificate[] {
  return certificateBlocks(text).flatMap((der) => {
    try {
      return der === undefined ? [] : [new X509Certificate(der)];
    } catch {
      return []; // a parser may quote what it parses: its words stay out
    }
  });
}
