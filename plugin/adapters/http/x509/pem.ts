/** PEM texts as blocks. */

/** One block between BEGIN and END lines; no `der` where what is between is not base64. */
interface PemBlock {
  readonly label: string;
  readonly der: Buffer | undefined;
}

const begin = "-----BEGIN ";
const dashes = "-----";

/** Every complete block of a text, in order; linear in its length, whatever it holds. */
export function splitBlocks(text: string): readonly PemBlock[] {
  return `\n${text}`
    .split(`\n${begin}`)
    .slice(1)
    .flatMap((part) => {
      const labelEnd = part.indexOf(dashes);
      const label = part.slice(0, Math.max(labelEnd, 0));
      const end = part.indexOf(`${dashes}END ${label}${dashes}`, labelEnd);
      if (label === "" || end === -1) return [];
      return [{ label, der: decodeBase64(part.slice(labelEnd + dashes.length, end)) }];
    });
}

/** The DER forms of the certificate blocks, in order; undefined for one that is not base64. */
export function certificateBlocks(text: string): readonly (Buffer | undefined)[] {
  return splitBlocks(text)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ der }) => der);
}

/** True where a private key begins, even one whose block is cut short. */
export function mentionsPrivateKey(text: string): boolean {
  return text
    .split(begin)
    .slice(1)
    .some((part) => part.slice(0, part.indexOf(dashes)).includes("PRIVATE KEY"));
}

/** The bytes of a base64 text (line breaks allowed, padding demanded), undefined when it is none. */
export function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/[\r\n]+/g, "");
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed)
    ? Buffer.from(packed, "base64")
    : undefined;
}
