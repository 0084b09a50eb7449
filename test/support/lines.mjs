/**
 * Calls `take` with each line of a stream, without its end. Lines end with a line feed only: `node:readline` of Node 24
 * and later also ends them with U+2028, which JSON contains unescaped.
 */
export function onLine(stream, take) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
