/** The characters of a named entity, such as `&copy;`: of the browser, in the place of the table of the package `entities`. */
export function decodeHTMLStrict(entity: string): string {
  const template = document.createElement('textarea');
  template.innerHTML = entity;
  return template.value;
}
