import { expect, test } from 'vitest';
import {
  AuthRequiredError,
  InvalidParamsError,
  NotFoundError,
  RemoteError,
  TimeoutError,
} from '../../../../src/core/base/errors.ts';
import { explain, withoutCall } from '../../../../src/programs/cli/errors.ts';
import { fitTable, toJson } from '../../../../src/programs/cli/print.ts';

const hidden = '\x7f\x9b\u00ad\u200b\u200f\u202e\u2060\u2066\ufeff\u{e0041}';

test.each([...hidden])('JSON has no character that cannot be seen: %j', (char) => {
  for (const json of [toJson({ text: `a${char}b` }), toJson([`a${char}b`], 0)]) {
    expect(json).not.toContain(char);
    expect(JSON.stringify(JSON.parse(json))).toContain(`a${char}b`);
  }
});

test('other characters of a JSON text stay as they are', () => {
  expect(toJson({ text: 'ä 漢 👍🏽' }, 0)).toBe('{"text":"ä 漢 👍🏽"}\n');
});

const breaks = ['\n', '\r\n', '\u2028', '\u2029', '\x1b[2K\r'];

test.each(breaks)('what an agent says with %j in an error stays on one line', (lineBreak) => {
  const message = `No.${lineBreak}acp-client-sdk: all is well`;
  const options = { method: 'session/new', rpcCode: -32000 };
  for (const error of [
    new RemoteError('', { ...options, agentMessage: message }),
    new AuthRequiredError('', { ...options, agentMessage: message }),
  ]) {
    const text = explain(error);
    expect(text).toMatch(/No\. ?acp-client-sdk: all is well/);
    expect(text.split(/[\r\n\u2028\u2029]/)).toHaveLength(1);
  }
});

test('an error names no function and no method of the library', () => {
  expect(withoutCall('changeSetting: session/set_config_option: mode must be one of ask, code.')).toBe(
    'mode must be one of ask, code.',
  );
  const refused = { method: 'session/resume', rpcCode: -32002, agentMessage: 'Not found: s1' };
  expect(explain(new NotFoundError('', refused))).toBe(
    'The agent refused to open the session: Not found: s1 (error -32002). "sessions" with the same agent lists the sessions that it keeps.',
  );
  const turn = { method: 'session/prompt', rpcCode: 1, agentMessage: 'No.' };
  const failed = [true, false].map((promptAccepted) => new RemoteError('', { ...turn, promptAccepted }));
  const texts = ['The turn failed: No (error 1).', 'The agent refused to take the turn: No (error 1).'];
  expect(failed.map(explain)).toEqual(texts);
  expect(explain(new TimeoutError('', { method: 'session/list', timeoutMs: 5 }))).toContain(
    'did not list its sessions within 5 ms',
  );
  expect(explain(new InvalidParamsError('loadSession: cwd is wrong.'))).toBe('cwd is wrong.');
});

test('a table that fits has columns, with two for wide characters', () => {
  const rows = [
    ['a', '茶', 'x'],
    ['bcd', 'e', 'y'],
  ];
  expect(fitTable(rows, 10)).toBe('a    茶  x\nbcd  e   y\n');
});

test('a table that does not fit has a paragraph for each row', () => {
  const rows = [
    ['  id-1', '', 'a title of words'],
    ['  id-2', 'old', 'title'],
  ];
  expect(fitTable(rows, 16)).toBe('  id-1\n    a title of\n    words\n  id-2\n    old · title\n');
  expect(fitTable([])).toBe('');
});
