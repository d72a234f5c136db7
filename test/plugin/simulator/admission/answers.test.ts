/** Every answer of a webhook, and what a real API server (1.34) made of it. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import {
  type ClosableAdmission,
  createAdmission,
  listWarnings,
} from "../../../../plugin/simulator/admission/admission";
import { ManualClock } from "../../../support/manual-clock";
import { aPair } from "../../../support/tls";
import { attemptOf, person, stateOf } from "../authorization/state";
import {
  answering,
  type Conduct,
  configuration,
  entry,
  sendJson,
  serverName,
  service,
  startWebhook,
  trusting,
  type WebhookServer,
} from "./webhook-server";

const pair = aPair({ names: [serverName] });
const clock = new ManualClock(Date.now());
const object = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", namespace: "a" },
};

/** HTTP status, body and headers, whatever the question. */
function http(status: number, body = "", headers: Readonly<Record<string, string>> = {}): Conduct {
  return (_review, to) => {
    to.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
  };
}

const plain = { "Content-Type": "text/plain" };
const v1beta1 = { admissionReviewVersions: ["v1beta1"] };
const goStruct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
const noKind = "couldn't get version/kind; json parse error:";
const wrongField = "json: cannot unmarshal string into Go struct field";

interface Row {
  readonly title: string;
  readonly answer: Conduct;
  readonly entry?: object;
}

interface Refused extends Row {
  /** What follows the name of the entry. */
  readonly failure?: string;
  readonly denial?: Partial<ApiError>;
}

const review = (apiVersion: string | undefined, kind?: string): Conduct => {
  return ({ request: { uid } }, to) => {
    sendJson(to, { apiVersion, kind, response: { uid, allowed: true } });
  };
};

const failing: readonly Refused[] = [
  {
    title: "no uid",
    answer: answering({ uid: undefined, allowed: true }),
    failure: 'received invalid webhook response: expected response.uid="SENT", got ""',
  },
  {
    title: "nothing at all",
    answer: http(200, "null"),
    failure: "received invalid webhook response: webhook response was absent",
  },
  {
    title: "neither version nor kind",
    answer: review(undefined),
    failure:
      "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
  },
  {
    title: "no version",
    answer: review(undefined, "AdmissionReview"),
    failure:
      "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview",
  },
  {
    title: "no kind",
    answer: review("admission.k8s.io/v1"),
    failure:
      "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=",
  },
  {
    title: "another kind",
    answer: review("admission.k8s.io/v1", "Foo"),
    failure:
      'failed to call webhook: no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:110"',
  },
  {
    title: "a version that does not exist",
    answer: review("admission.k8s.io/v2", "AdmissionReview"),
    failure:
      'failed to call webhook: no kind "AdmissionReview" is registered for version "admission.k8s.io/v2" in scheme "pkg/runtime/scheme.go:110"',
  },
  {
    title: "the new version to an old review",
    entry: v1beta1,
    answer: review("admission.k8s.io/v1", "AdmissionReview"),
    failure:
      "failed to call webhook: converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion",
  },
  {
    title: "a Status",
    answer: http(200, '{"apiVersion":"v1","kind":"Status","status":"Failure","message":"x"}'),
    failure:
      "failed to call webhook: converting (v1.Status) to (v1.AdmissionReview): unknown conversion",
  },
  {
    title: "an array",
    answer: http(200, "[]"),
    failure: `failed to call webhook: ${noKind} json: cannot unmarshal array into Go value of type ${goStruct}`,
  },
  {
    title: "HTML",
    answer: http(200, "<html>", { "Content-Type": "text/html" }),
    failure: `failed to call webhook: ${noKind} json: cannot unmarshal string into Go value of type ${goStruct}`,
  },
  {
    title: "half an object",
    answer: http(200, '{"apiVersion":"admission'),
    failure: `failed to call webhook: ${noKind} unexpected end of JSON input`,
  },
  {
    title: "an empty body",
    answer: http(200),
    failure:
      "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
  },
  {
    title: "`allowed` as text",
    answer: answering({ allowed: "yes" }),
    failure: `failed to call webhook: ${wrongField} AdmissionResponse.response.allowed of type bool`,
  },
  {
    title: "`response` as text",
    answer: answering({}, { response: "x" }),
    failure: `failed to call webhook: ${wrongField} AdmissionReview.response of type v1.AdmissionResponse`,
  },
  {
    title: "`warnings` as text",
    answer: answering({ allowed: true, warnings: "x" }),
    failure: `failed to call webhook: ${wrongField} AdmissionResponse.response.warnings of type []string`,
  },
  {
    title: "`uid` as a number",
    answer: answering({ allowed: true, uid: 5 }),
    failure:
      "failed to call webhook: json: cannot unmarshal number into Go struct field AdmissionResponse.response.uid of type types.UID",
  },
  {
    title: "`status` as text",
    answer: answering({ allowed: false, status: "x" }),
    failure: `failed to call webhook: ${wrongField} AdmissionResponse.response.status of type v1.Status`,
  },
  {
    title: "`code` as text",
    answer: answering({ allowed: false, status: { code: "x" } }),
    failure: `failed to call webhook: ${wrongField} Status.response.status.code of type int32`,
  },
  {
    title: "a patch type",
    answer: answering({ allowed: true, patchType: "JSONPatch" }),
    failure:
      "received invalid webhook response: validating webhook may not return response.patchType",
  },
  {
    title: "no version of reviews that the API server speaks",
    entry: { admissionReviewVersions: ["v9"] },
    answer: answering({ allowed: true }),
    failure:
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
  },
  ...(
    [
      [
        204,
        http(204),
        "0-length response with status code: 204 and content type: application/json",
      ],
      [400, http(400, "bad", plain), "the server rejected our request for an unknown reason"],
      [401, http(401, "bad"), "the server has asked for the client to provide credentials"],
      [403, http(403, "bad reason\n", plain), "bad reason"],
      ["403 with JSON", http(403, "{}"), "unknown"],
      [404, http(404, "nope"), "the server could not find the requested resource"],
      [405, http(405), "the server does not allow this method on the requested resource"],
      [409, http(409), "the server reported a conflict"],
      [
        413,
        http(413),
        "the server responded with the status code 413 but did not return more information",
      ],
      [415, http(415, "um", plain), "um"],
      [422, http(422), "the server rejected our request due to an error in our request"],
      [
        429,
        http(429),
        "the server has received too many requests and has asked us to try again later",
      ],
      [
        "429, over and over with Retry-After",
        http(429, "", { "Retry-After": "0" }),
        "the server has received too many requests and has asked us to try again later",
      ],
      [
        500,
        http(500, "broken\n", plain),
        'an error on the server ("broken") has prevented the request from succeeding',
      ],
      [
        "500 with JSON",
        http(500, "{}"),
        'an error on the server ("unknown") has prevented the request from succeeding',
      ],
      [
        "500 with a Status",
        http(500, '{"apiVersion":"v1","kind":"Status","status":"Failure","message":"as status"}'),
        "as status",
      ],
      [503, http(503), "the server is currently unable to handle the request"],
      [
        504,
        http(504),
        "the server was unable to return a response in the time allotted, but may still be processing the request",
      ],
    ] as const
  ).map(([title, answer, words]) => ({
    title: `HTTP ${title}`,
    answer,
    failure: `failed to call webhook: ${words}`,
  })),
];

const denied = 'admission webhook "case.x.y" denied the request';

const denying: readonly Refused[] = [
  {
    title: "no verdict",
    answer: answering({}),
    denial: { message: `${denied} without explanation` },
  },
  {
    title: "a time to wait",
    answer: answering({
      allowed: false,
      status: { code: 429, message: "x", details: { retryAfterSeconds: 3 } },
    }),
    denial: { message: `${denied}: x`, status: 429 },
  },
];

const passing: readonly Row[] = [
  {
    title: "nulls where something may be left out",
    answer: answering({ allowed: true, status: null }),
  },
  {
    title: "HTTP 201",
    answer: ({ request: { uid } }, to) => {
      const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      to.writeHead(201).end(JSON.stringify({ ...body, response: { uid, allowed: true } }));
    },
  },
];

let server: WebhookServer;
let admission: ClosableAdmission;
let conduct: Conduct;

beforeAll(async () => {
  server = await startWebhook(pair, {
    case: (asked, to) => {
      conduct(asked, to);
    },
  });
});
beforeEach(() => {
  const route = () => ({ host: "127.0.0.1", port: server.port });
  admission = createAdmission({ clock, route });
});
afterEach(() => {
  admission.close();
});
afterAll(async () => {
  await server.close();
});

async function admit({ answer, entry: more = {} }: Row): Promise<readonly string[]> {
  conduct = answer;
  const webhook = trusting(entry("case", more), pair.certPem);
  const state = stateOf([service, configuration("probe", [webhook])]);
  return admission.admit(attemptOf({ user: person("ann"), object }), state);
}

async function refusalOf(row: Row): Promise<ApiError> {
  const outcome = await admit(row).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ApiError);
  return outcome as ApiError;
}

function shapeOf({ message, status, reason, causes }: ApiError): object {
  return { message, status, reason, causes };
}

test.each(failing)("refuses the write on $title", async (row) => {
  const refusal = await refusalOf(row);
  const uid = server.received.at(-1)?.review.request.uid ?? "";
  const why = `failed calling webhook "case.x.y": ${row.failure?.replace("SENT", uid) ?? ""}`;
  expect(shapeOf(refusal)).toEqual({
    message: `Internal error occurred: ${why}`,
    status: 500,
    reason: "InternalError",
    causes: [{ message: why }],
  });
});

test.each(denying)("passes on a denial with $title", async (row) => {
  const nothing = { status: 400, reason: "", causes: [] };
  expect(shapeOf(await refusalOf(row))).toEqual({ ...nothing, ...row.denial });
});

test.each(passing)("lets the write pass on $title", async (row) => {
  await expect(admit(row)).resolves.toEqual([]);
});

test("warnings reach the writer, with a refusal as well", async () => {
  const warnings = ["one", "two"];
  await expect(
    admit({ title: "", answer: answering({ allowed: true, warnings }) }),
  ).resolves.toEqual(warnings);
  const refusal = await refusalOf({ title: "", answer: answering({ allowed: false, warnings }) });
  expect(listWarnings(refusal)).toEqual(warnings);
});

test("a webhook that asks for time is asked again", async () => {
  const before = server.received.length;
  const verdict = answering({ allowed: true });
  const answer: Conduct = (asked, to) => {
    if (server.received.length > before + 1) verdict(asked, to);
    else http(503, "", { "Retry-After": "0" })(asked, to);
  };
  await expect(admit({ title: "", answer })).resolves.toEqual([]);
  expect(server.received.slice(before).map(({ review: { request } }) => request.uid)).toEqual(
    Array.from({ length: 2 }, () => server.received.at(-1)?.review.request.uid),
  );
});
