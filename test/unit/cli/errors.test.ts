import { expect, test } from 'vitest';
import { explain, withoutCall } from '../../../src/cli/errors.ts';
import { AuthRequiredError, InvalidParamsError, RemoteError } from '../../../src/errors.ts';

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

test('an error names no function and no method of the library', () => {
  expect(withoutCall('changeSetting: session/set_config_option: mode must be one of ask, code.')).toBe(
    'mode must be one of ask, code.',
  );
  const message = 'loadSession: The agent answered session/resume with error -32002: Not found: s1';
  expect(explain(new InvalidParamsError(message))).toBe(message.slice('loadSession: '.length));
});
