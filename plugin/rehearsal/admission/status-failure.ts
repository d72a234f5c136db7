/** What the API server says of an HTTP status that is no success. */
import { own, parseJson, text } from "../../domain/values";

interface Failed {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

const words: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message: that of a Status in the body, else one for the number, with the body's text where it helps. */
export function statusFailure({ status, contentType, body }: Failed): string {
  const told = statusMessage(body);
  if (told !== undefined) return told;
  const known = words[status];
  if (known !== undefined) return known;
  const isText = contentType === undefined || contentType.startsWith("text/");
  const said = isText ? body.slice(0, 2048).trim() : "unknown";
  if (status === 403 || status === 415) return said;
  if (status === 406) return notAcceptable(said);
  return status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function notAcceptable(said: string): string {
  return said === "" || said === "unknown"
    ? "the server was unable to respond with a content type that the client supports"
    : said;
}

function statusMessage(body: string): string | undefined {
  const status = parseJson(body);
  const isFailure =
    own(status, "kind") === "Status" &&
    ["v1", undefined].includes(text(own(status, "apiVersion"))) &&
    own(status, "status") === "Failure";
  return isFailure ? (text(own(status, "message")) ?? "") : undefined;
}
