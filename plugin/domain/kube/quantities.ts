/** Quantities of Kubernetes (resource.Quantity): how they are stored, and which of two is more. */
const spelling = /^([+-]?)0*(\d{0,18})(?:\.(\d{0,18}))?([mkMGTPEnu]|[KMGTPE]i|[eE][+-]?\d{1,2})?$/;
const decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

interface Spelled {
  readonly text: string;
  readonly negative: boolean;
  /** Without leading zeros; the fraction as it was written. */
  readonly digits: string;
  readonly fraction: string;
  /** Of ten, and with a binary suffix of 1024. */
  readonly power: number;
  readonly kibi: number;
  readonly isExponent: boolean;
}

/** A quantity as it is stored, in thousandths at the finest; undefined for what is none. */
export function renderStoredQuantity(value: unknown): string | undefined {
  const spelled = parseSpelled(value);
  if (spelled === undefined) return undefined;
  if (keepsItsText(spelled)) return spelled.text;
  const thousandths = toThousandths(spelled);
  if (thousandths === 0n) return "0";
  const text = binaryText(thousandths, spelled) ?? decimalText(thousandths, spelled);
  return spelled.negative ? `-${text}` : text;
}

function parseSpelled(value: unknown): Spelled | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  if (!/\d/.test(text)) return undefined;
  const match = spelling.exec(text);
  if (match === null) return undefined;
  const [, sign, whole, fraction = "", suffix = ""] = match;
  const kibi = Math.max(binary.indexOf(suffix), 0);
  const isExponent = /^[eE]./.test(suffix);
  const steps = kibi > 0 ? 0 : 3 * (decimal.indexOf(suffix) - 3);
  return {
    text,
    kibi,
    isExponent,
    fraction,
    negative: sign === "-",
    digits: (whole || "0") + fraction,
    power: (isExponent ? Number(suffix.slice(1)) : steps) - fraction.length,
  };
}

/** The API server reuses a text that looks canonical, and it does not look closely. */
function keepsItsText({ digits, fraction, power, kibi }: Spelled): boolean {
  if (kibi > 0) return fraction === "" && BigInt(digits) % 8n !== 0n;
  return power % 3 === 0 && power >= -3 && !digits.endsWith("000") && !digits.startsWith("0");
}

/** What is less than a thousandth counts as one. */
function toThousandths({ digits, power, kibi }: Spelled): bigint {
  const scaled = BigInt(digits) << BigInt(10 * kibi);
  if (power >= -3) return scaled * 10n ** BigInt(power + 3);
  const divisor = 10n ** BigInt(-power - 3);
  return (scaled + divisor - 1n) / divisor;
}

/** Undefined for what has a decimal suffix: small and broken numbers among the binary ones. */
function binaryText(thousandths: bigint, { kibi }: Spelled): string | undefined {
  if (kibi === 0 || thousandths < 1_024_000n || thousandths % 1000n !== 0n) return undefined;
  const [number, steps] = divide(thousandths / 1000n, 1024n, binary.length - 1);
  return `${number}${String(binary[steps])}`;
}

function decimalText(thousandths: bigint, { isExponent }: Spelled): string {
  const [number, steps] = divide(thousandths, 1000n, decimal.length - 3);
  if (!isExponent) return `${number}${String(decimal[steps + 2])}`;
  return steps === 1 ? String(number) : `${number}e${3 * (steps - 1)}`;
}

/** Divided as often as nothing is left over. */
function divide(value: bigint, by: bigint, most: number): readonly [bigint, number] {
  let [rest, steps] = [value, 0];
  while (steps < most && rest % by === 0n) [rest, steps] = [rest / by, steps + 1];
  return [rest, steps];
}

/** Negative where the first is less, 0 where both are the same amount; undefined where one is no quantity. */
export function compareQuantities(one: unknown, other: unknown): number | undefined {
  const [left, right] = [toAmount(one), toAmount(other)];
  if (left === undefined || right === undefined) return undefined;
  return Number(left > right) - Number(left < right);
}

/** In thousandths. */
function toAmount(value: unknown): bigint | undefined {
  const spelled = parseSpelled(value);
  if (spelled === undefined) return undefined;
  const thousandths = toThousandths(spelled);
  return spelled.negative ? -thousandths : thousandths;
}

/** One quantity and the other, or without it, in the form of the first that is not zero; "0" at the least. */
export function addQuantities(one: unknown, other: unknown, times: 1 | -1): string {
  const first = toAmount(one) ?? 0n;
  const sum = first + BigInt(times) * (toAmount(other) ?? 0n);
  const like = parseSpelled(first === 0n ? other : one);
  if (sum <= 0n || like === undefined) return "0";
  return binaryText(sum, like) ?? decimalText(sum, like);
}
