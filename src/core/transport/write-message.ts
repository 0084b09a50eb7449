/** Each escape in a text of JSON. Half a character is always one, because `JSON.stringify` escapes it. */
const escapes = /\\(?:u(?<half>d[89a-f][\da-f]{2})|.)/g;

/**
 * A message as JSON, with whole characters.
 *
 * @throws what `JSON.stringify` throws
 */
export function writeMessage(message: object): string {
  return withWholeCharacters(JSON.stringify(message));
}

/**
 * A text of `JSON.stringify` in which half a character is U+FFFD. An editor that cuts a text between two code units leaves
 * half a character. Many parsers refuse a message with one, and its sender never gets an answer.
 */
export function withWholeCharacters(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(escapes, (found, half?: string) => (half === undefined ? found : '\ufffd'));
}
