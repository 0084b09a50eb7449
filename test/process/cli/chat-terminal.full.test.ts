import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, smallAgent } from './command-line.ts';
import { type RealTerminal, startCommandInTerminal } from './real-terminal.ts';

beforeAll(buildPackage);

/** The lines that the terminal broke. It wraps what the agent says. */
const brokenNotes = (terminal: RealTerminal) =>
  terminal.brokenLines().filter((line) => !line.startsWith('  '));

const ctrlC = '\x03';
const ctrlD = '\x04';

/** Waits for the question of the chat, with what is typed behind it. */
const asks = (terminal: RealTerminal, typed = '') =>
  eventually(() => terminal.lines().at(-1)).toBe(`> ${typed}`);

/** Types a line, and waits until the chat asks for the next one. */
async function say(terminal: RealTerminal, line: string): Promise<void> {
  const questions = () => terminal.lines().filter((shown) => shown.startsWith('> ')).length;
  const before = questions();
  terminal.type(`${line}\r`);
  await eventually(questions).toBe(before + 1);
  await asks(terminal);
}

/** Expects that the shell gets its terminal back as it was. */
async function expectClean(terminal: RealTerminal): Promise<void> {
  expect(terminal.settings()).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
  expect(terminal.isCursorVisible()).toBe(true);
  expect(terminal.screen()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  expect(await terminal.isPlain()).toBe(true);
}

describe.skipIf(process.platform === 'win32')('the chat in a narrow terminal', () => {
  const start = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const terminal = await startCommandInTerminal(['chat', ...args], 40, { env });
    await asks(terminal);
    return terminal;
  };

  test('takes turns, asks for permission, goes on after an error, and leaves with /exit', async () => {
    const terminal = await start(await demoAgent('v2-baseline', temporaryFolder()));
    await say(terminal, '/help');
    expect(terminal.screen()).toMatch(/\/set[\s\S]*\/plan <what to plan>/);
    terminal.type('please edit\r');
    await eventually(terminal.screen).toMatch(/Your choice, 1 to 3: $/);
    terminal.type('4\r');
    await eventually(terminal.screen).toMatch(/Your choice, 1 to 3: 4\nYour choice, 1 to 3: $/);
    terminal.type('1\r');
    await asks(terminal);
    expect(terminal.screen().match(/[○✓] Edit NOTES\.md/g)).toEqual(['○ Edit NOTES.md', '✓ Edit NOTES.md']);
    await say(terminal, 'error');
    expect(terminal.screen()).toContain('-32603');
    await say(terminal, '/set mode');
    expect(terminal.screen()).toContain('/set mode needs a value');
    await say(terminal, '/set mode auto');
    expect(terminal.screen()).toContain('mode=auto');
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
    // Another command would start another agent, which does not have the session.
    expect(terminal.screen()).toMatch(
      /To continue the session, run the same\scommand\swith\s--session\ssession-\d+$/,
    );
    expect(brokenNotes(terminal)).toEqual([]);
    await expectClean(terminal);
  });

  test('keeps what is typed when the width changes', async () => {
    const terminal = await start(smallAgent('reads-links'));
    const typed = 'words that need several rows in a narrow terminal, but one in a wide one';
    terminal.type(typed);
    await asks(terminal, typed);
    await terminal.resize(100);
    terminal.type('!');
    await asks(terminal, `${typed}!`);
    terminal.type('\r');
    await eventually(() => terminal.screen().replace(/\s+/g, ' ')).toContain(`"text":"${typed}!"`);
    await asks(terminal);
    terminal.type(ctrlD);
    expect(await terminal.ended).toBe(0);
  });

  test('does not show the question when the width changes in a turn', async () => {
    const go = join(temporaryFolder(), 'go');
    const terminal = await start(smallAgent('waits-in-message'), { GO: go });
    terminal.type('hello\r');
    await eventually(terminal.screen).toMatch(/its\s+\S Working/);
    await terminal.resize(100);
    writeFileSync(go, '');
    await asks(terminal);
    expect(terminal.lines().filter((line) => line.startsWith('>'))).toEqual(['> hello', '> ']);
    // Nothing but the moving line comes between, which a terminal could move to another place.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor away and back
    expect(terminal.written().replace(/(?:\x1bD\x1b\[A)?\x1b7.*?\x1b8/gs, '')).toContain(
      'then waits and goes on with more words, as many as before, so that they need some lines.',
    );
    terminal.type(ctrlD);
    expect(await terminal.ended).toBe(0);
  });

  test('completes the commands of the chat, of the agent and of the settings', async () => {
    const terminal = await start(smallAgent('has-settings'));
    terminal.type('/exp\t');
    await asks(terminal, '/explain ');
    terminal.type(ctrlC);
    await asks(terminal);
    terminal.type('/set mod\t');
    await asks(terminal, '/set model ');
    terminal.type('ti\t');
    await asks(terminal, '/set model tiny');
    terminal.type(ctrlC);
    await asks(terminal);
    terminal.type('/e\t');
    await asks(terminal, '/ex');
    terminal.type('\t');
    await eventually(terminal.screen).toMatch(/\/exit\s+\/explain/);
    terminal.type(ctrlC);
    await asks(terminal);
    terminal.type(ctrlD);
    expect(await terminal.ended).toBe(0);
  });

  test('cancels a turn on Ctrl-C, and the chat goes on', async () => {
    const terminal = await start(await demoAgent('v2-baseline', temporaryFolder()));
    terminal.type('please count slowly\r');
    await eventually(() => terminal.lines().join('\n')).toContain('3 🐑');
    terminal.type(ctrlC);
    await asks(terminal);
    // What the agent says until it reads the cancel comes below the note.
    expect(terminal.lines().join('\n')).toMatch(/ \d+ +🐑\n\nCancelling the turn\./);
    expect(terminal.screen()).not.toMatch(/\n\n\n|Working/);
    await say(terminal, 'hello');
    expect(terminal.screen()).toMatch(/You wrote:\s“hello”/);
    terminal.type(ctrlD);
    expect(await terminal.ended).toBe(0);
    expect(brokenNotes(terminal)).toEqual([]);
  });

  test.each([
    ['and says how to continue', smallAgent('ordinary'), /To continue the session, .*\s.*--session s\n/],
    ['and only so with the demo agent, which forgets its sessions', [], /^(?!.*To continue)/s],
  ])('ends with 130 on Ctrl-C between turns, %s', async (_, agent, said) => {
    const terminal = await start(agent);
    terminal.type(ctrlC);
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).toMatch(said);
    await expectClean(terminal);
  });

  test('leaves the terminal clean after an exception while a line moves', async () => {
    const folder = temporaryFolder();
    const [bug, pid] = [join(folder, 'bug.mjs'), join(folder, 'pid')];
    writeFileSync(
      bug,
      `import { writeFileSync } from 'node:fs';
        if (process.argv[1].endsWith('cli.js')) writeFileSync(${JSON.stringify(pid)}, String(process.pid));
        process.on('SIGUSR2', () => { throw new Error('a bug of the test'); });`,
    );
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(bug).href}`, GO: join(folder, 'go') };
    const terminal = await start(smallAgent('talks-and-waits'), env);
    terminal.type('hello\r');
    await eventually(terminal.screen).toMatch(/\n\S Run the tests · .* s$/);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGUSR2');
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen().replace(/\s+/g, ' ')).toContain(
      'This is a bug in acp-client-sdk. Please report it: Error: a bug of the test',
    );
    await expectClean(terminal);
  });
});
