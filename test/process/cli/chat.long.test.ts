import { beforeAll, describe, expect, test } from 'vitest';
import type { MessageEntry } from '../../../src/core/model/conversation.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, outlineOf, printedConversation, runHere, smallAgent } from './command-line.ts';

beforeAll(buildPackage);

describe('without a terminal', () => {
  test.each(['v1', 'v2-markers', 'v2-baseline'])(
    'each line is a turn with an agent of %s',
    async (dialect) => {
      const agent = await demoAgent(dialect, temporaryFolder());
      const input = 'hello\n\n/set mode auto\nplease edit\n/exit\nnever sent\n';
      const { code, stdout, stderr } = await runHere(
        ['chat', '--format', 'json', '--cwd', temporaryFolder(), ...agent],
        {
          input,
        },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('mode=auto') });
      const said = outlineOf(printedConversation(stdout)).filter((line) => /^(user|tool)/.test(line));
      expect(said).toEqual(['user live: hello', 'user live: please edit', 'tool completed: Edit NOTES.md']);
    },
  );

  test('the answers are printed as text, turn by turn', async () => {
    const { stdout } = await runHere(['chat', ...smallAgent('ordinary')], { input: 'one\ntwo\n' });
    expect(stdout).toBe('Agent\n  Yes.\n\nAgent\n  Yes.\n\n');
  });

  test('the output of a command is printed if it is only in the last update of the tool call', async () => {
    const shown = '✓ Run the tests\n  exit 0\n    12 passed\n\n';
    const agent = smallAgent('reports-output-at-exit');
    const chat = await runHere(['chat', ...agent], { input: 'test\n' });
    expect(chat.stdout).toContain(shown);
    const prompt = await runHere(['prompt', 'test', ...agent]);
    expect(prompt.stdout).toContain(shown.trimEnd());
  });

  test('a line ends at a line feed, with or without a carriage return, and not at U+2028', async () => {
    const input = 'one\u2028still one\r\ntwo';
    const agent = await demoAgent('v2-baseline', temporaryFolder());
    const { stdout } = await runHere(['chat', '--format', 'json', ...agent], { input });
    const said = printedConversation(stdout).entries.filter(
      (entry): entry is MessageEntry => entry.kind === 'message' && entry.role === 'user',
    );
    expect(said.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'one\u2028still one' }],
      [{ type: 'text', text: 'two' }],
    ]);
  });

  test('a turn that fails ends it with the exit code of its error', async () => {
    const agent = await demoAgent('v2-baseline', temporaryFolder());
    const { code, stdout, stderr } = await runHere(['chat', '--format', 'json', ...agent], {
      input: 'hello\nerror\nhello\n',
    });
    expect(code).toBe(4);
    expect(stderr).toContain('-32603');
    expect(outlineOf(printedConversation(stdout)).filter((line) => line.startsWith('user'))).toEqual([
      'user live: hello',
    ]);
  });

  test('a command of the agent is a prompt, and two slashes send one', async () => {
    const { stdout } = await runHere(['chat', ...smallAgent('reads-links')], { input: '/plan it\n//help\n' });
    expect(stdout).toContain('"text":"/plan it"');
    expect(stdout).toContain('"text":"/help"');
  });
});

test('--session continues a session, with its history', async () => {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const args = ['chat', '--session', 'example-tea-house', '--format', 'json', ...agent];
  const { stdout } = await runHere(args, { input: 'hello\n' });
  const said = outlineOf(printedConversation(stdout)).filter((line) => line.startsWith('user'));
  expect(said[0]).toMatch(/^user replay: The welcome sign has an empty line/);
  expect(said.at(-1)).toBe('user live: hello');
  const text = await runHere(['chat', '--session', 'example-tea-house', ...agent], { input: '' });
  expect(text.stdout).toContain('Wonderful. One more thing');
});
