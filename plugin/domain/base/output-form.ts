/** What may be typed after -o. */

/** Forms for verdicts on objects alone. */
export const verdictForms = ["sarif", "junit", "github"] as const;

/** Forms that take what is typed after them. */
export const templateForms = ["jsonpath=", "custom-columns="] as const;

/** Forms for every command. */
export const commonForms = ["text", "json", "yaml", "jsonl", "name"] as const;

/** Forms that are one word. */
export const plainForms = [...commonForms, ...verdictForms] as const;

/** A form with its template. */
export type TemplateForm = `${(typeof templateForms)[number]}${string}`;

/** Any form. */
export type OutputForm = (typeof plainForms)[number] | TemplateForm;

/** Whether a form has a template. */
export function hasTemplate(form: string): form is TemplateForm {
  return templateForms.some((one) => form.startsWith(one) && form !== one);
}
