/** The schema of files of advisories, for editors: made from the tables that the reader checks files with. */
import { fileKeys, rowKeys } from "./rows";
import { describeKeys } from "./shapes";
import { describeWorlds } from "./worlds";

/** JSON Schema, draft 07. The reader checks the same, and what ranges and expressions say. */
export function advisoriesSchema(): object {
  const advisories = {
    ...fileKeys.advisories,
    shape: {
      schema: { type: "array", maxItems: 500, items: { $ref: "#/definitions/Row" } },
      check: fileKeys.advisories.shape.check,
    },
  };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Advisories",
    ...describeKeys({ ...fileKeys, advisories }),
    definitions: { Row: describeRow(), ...describeWorlds() },
  };
}

/** A row that is disabled needs its code alone; any other one has a fix or remedies. */
function describeRow(): object {
  const { required, ...rest } = describeKeys(rowKeys) as { readonly required: readonly string[] };
  return {
    ...rest,
    required: ["code"],
    if: { properties: { disabled: { const: true } }, required: ["disabled"] },
    else: { required, oneOf: [{ required: ["fix"] }, { required: ["remedies"] }] },
  };
}
