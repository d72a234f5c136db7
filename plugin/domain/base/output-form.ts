/** What may be typed after -o. */

/** Forms for verdicts on objects only. */
export const verdictForms = ["sarif", "junit", "github"] as const;

/** Forms that take what is typed after them. */
export const templateForms = ["jsonpath=", "custom-columns="] as const;

/** Forms for every command. */
export const commonForms = ["text", "json", "yaml", "jsonl", "name"] as const;

/** Forms that are one word. */
export const plainForms = [...commonForms, ...verdictForms] as const;

/** A form without a template. */
export type PlainForm = (typeof plainForms)[number];

/** Typed in the place of a form: text, with every column of its tables. */
export const wideForm = "wide";

/** What is offered in their place, in the order of the help. */
export const offeredForms = [
  ...["text", wideForm, ...commonForms.slice(1)],
  ...templateForms,
  ...verdictForms,
];

/** A form with its template. */
export type TemplateForm = `${(typeof templateForms)[number]}${string}`;

/** Any form. */
export type OutputForm = PlainForm | TemplateForm;

/** Whether a form has a template. */
export function hasTemplate(form: string): form is TemplateForm {
  return templateForms.some((one) => form.startsWith(one) && form !== one);
}
