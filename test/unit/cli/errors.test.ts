import { expect, test } from 'vitest';
import { explain } from '../../../src/cli/errors.ts';
import { AuthRequiredError, RemoteError } from '../../../src/errors.ts';

const breaks = ['\n', '\r\n', '\u2028', '\u2029', '\x1b[2K\r'];

test.each(breaks)('what an agent says with %j in an error stays on one line', (lineBreak) => {
  const message = `No.${lineBreak}acp-client: all is well`;
  const options = { method: 'session/new', rpcCode: -32000 };
  for (const error of [new RemoteError(message, options), new AuthRequiredError(message, options)]) {
    const text = explain(error);
    expect(text).toMatch(/No\. ?acp-client: all is well/);
    expect(text.split(/[\r\n\u2028\u2029]/)).toHaveLength(1);
  }
});
