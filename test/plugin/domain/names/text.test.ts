import { error } from "../../../../plugin/domain/base/findings";
import { bindFindings } from "../../../../plugin/domain/names/codes";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { ec, text, textIn } from "../../../../plugin/domain/names/text";

const branded = { ...defaultNames, ec: { ...defaultNames.ec, short: "adc" } };

test("a text is made with the words of the names", () => {
  const made = text`every ${ec} since ${"8.0"}: ${text`the ${ec}'s`} pods`;
  expect(textIn(made, defaultNames)).toBe("every EC since 8.0: the EC's pods");
  expect(textIn(made, branded)).toBe("every ADC since 8.0: the ADC's pods");
});

test("a finding has the words of the names, and what a cluster said stays as it is", () => {
  const finding = bindFindings({
    busy: error("BUSY", "S1", { cause: text`the ${ec} is busy`, fix: text`wait for the ${ec}` }),
    plain: error("PLAIN", "S2", { cause: "it is busy", fix: "wait" }),
  });
  expect(finding("busy", { object: "EC/a", cause: "EC said no" }, branded)).toEqual({
    ...{ code: "BUSY", severity: "error", object: "EC/a", source: "S1" },
    ...{ cause: "EC said no", fix: "wait for the ADC" },
  });
  expect(finding("plain", {})).toMatchObject({ code: "PLAIN", cause: "it is busy", fix: "wait" });
});
