const maxLines = 20;
const maxLength = 2000;

/** The start of JSON, with a note about the rest. */
export function shortenedJson(json: string): string {
  const start = json.split('\n', maxLines).join('\n').slice(0, maxLength);
  return start.length < json.length ? `${start}\n… ${json.length - start.length} more characters` : json;
}
