/** The length of a text in bytes of UTF-8. */
export const utf8Length: (text: string) => number =
  // `Buffer` does not copy the text.
  typeof Buffer === 'function' ? (text) => Buffer.byteLength(text) : (text) => encoder.encode(text).length;

const encoder = new TextEncoder();
