import { compileForm, TemplateError } from "../../../plugin/output/template";
import type { TemplateForm } from "../../../plugin/domain/base/output-form";
import type { Report } from "../../../plugin/kernel/report";

const report = {
  kind: "Check",
  exit: { code: 3, reason: "two findings" },
  findings: [
    { code: "ONE", object: "EC/ec", severity: "error" },
    { code: "TWO", severity: "warning", cause: "a\u001b[1mb" },
  ],
  details: { labels: { "example.com/role": "shop" }, counts: [1, 2, 3], empty: undefined },
} as unknown as Report;

const render = (form: string): string => compileForm(form as TemplateForm)(report);

test.each([
  ["{.kind}", "Check"],
  ["{$.exit.code}", "3"],
  ["{@.kind}", "Check"],
  ["{kind}", "Check"],
  ["a {.kind} b", "a Check b"],
  ["{.findings[*].code}", "ONE TWO"],
  ["{..code}", "3 ONE TWO"],
  ["{.findings[-1:].code}", "TWO"],
  ["{.findings[0]['code','object']}", "ONE EC/ec"],
  ['{.findings[?(@.severity=="warning")].code}', "TWO"],
  ["{.details.labels.example\\.com/role}", "shop"],
  ["{.details.labels['example.com/role']}", "shop"],
  ["{.details.counts}", "[1,2,3]"],
  ["{.exit}", '{"code":3,"reason":"two findings"}'],
  ["{.nosuch}", ""],
  ["{.details.empty}", ""],
  ['{range .findings[*]}{.code}{"\\t"}{.object}{"\\n"}{end}', "ONE\tEC/ec\nTWO\t\n"],
  ["{range .details.counts[*]}{@}{','}{end}", "1,2,3,"],
  ['{range .findings[*]}{range ["code"]}<{@}>{end}{end}', "<ONE><TWO>"],
  ["{range .nosuch[*]}never{end}", ""],
  ["{'{'}{.kind}{'}'}", "{Check}"],
  ["{'it\\'s'}", "it's"],
  ['{"\\u0041\\tb"}', "A\tb"],
  ["{.findings[1].cause}", "a\\x1b[1mb"],
  ["no path", "no path"],
])("jsonpath=%s", (template, text) => {
  expect(render(`jsonpath=${template}`)).toBe(text);
});

test.each([
  ["CODE:.findings[*].code", "CODE\nONE\nTWO\n"],
  [
    "CODE:.findings[*].code,OBJECT:.findings[*].object",
    "CODE   OBJECT\nONE    EC/ec\nTWO    <none>\n",
  ],
  ["ALL:.findings[?(@.object)]", 'ALL\n{"code":"ONE","object":"EC/ec","severity":"error"}\n'],
  ["KIND:kind,END:.exit.code", "KIND    END\nCheck   3\n"],
  ["N:.details.counts[*],KIND:.kind", "N       KIND\n1,2,3   Check\n"],
])("custom-columns=%s", (spec, text) => {
  expect(render(`custom-columns=${spec}`)).toBe(text);
});

test.each([
  ["jsonpath={.kind", /a brace has no other in "\{\.kind"/],
  ["jsonpath=.kind}", /a brace has no other/],
  ["jsonpath={range .findings[*]}{.code}", /\{range\} is without its \{end\}/],
  ["jsonpath={.kind}{end}", /\{end\} is without its \{range\}/],
  ["jsonpath={.findings[}", /".findings\[" is not a path: /],
  ["custom-columns=CODE", /"CODE" is not NAME:PATH/],
  ["custom-columns=CODE:", /"CODE:" is not NAME:PATH/],
  ["custom-columns=:.kind", /":.kind" is not NAME:PATH/],
  ["custom-columns=A:.kind,B:.findings[", /is not a path/],
])("%s is refused", (form, problem) => {
  const compiling = (): unknown => compileForm(form as TemplateForm);
  expect(compiling).toThrow(TemplateError);
  expect(compiling).toThrow(problem);
});
