import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, runHere, smallAgent } from './command-line.ts';
import { type RealTerminal, startCommandInTerminal } from './real-terminal.ts';

beforeAll(buildPackage);

/** The screen as a file, without the part of a temporary path that differs. */
const picture = (terminal: RealTerminal) =>
  `${terminal.screen().replace(/(?<=acp-notes-)\w{6}/g, '······')}\n`;

/** A folder whose path is as long everywhere, because the pictures contain it. */
function notesFolder(): string {
  const folder = mkdtempSync('/tmp/acp-notes-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const movingLine = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .* · \d+ s$/m;

describe.skipIf(process.platform === 'win32')('in a terminal', () => {
  describe.each([40, 140])('of %i columns', (columns) => {
    test('a slow start says what it waits for, for how long, and is gone afterwards', async () => {
      const terminal = await startCommandInTerminal(
        ['prompt', 'hi', ...smallAgent('starts-slowly')],
        columns,
      );
      await eventually(terminal.screen).toMatch(/^\S Starting .* · 1 s$/);
      await eventually(terminal.screen).toMatch(/^\S Starting .* · 2 s$/);
      expect(await terminal.ended).toBe(0);
      expect(terminal.rows()).toEqual(['Agent', '  Yes.', '', 'Session', '  s']);
    });

    test('a message appears as it comes, and a line below it moves while a tool runs', async () => {
      const go = join(temporaryFolder(), 'go');
      const args = ['prompt', 'hi', ...smallAgent('talks-and-waits')];
      const terminal = await startCommandInTerminal(args, columns, { env: { GO: go } });
      const seen = new Set<string>();
      await eventually(
        () => {
          seen.add(terminal.screen().split('\n').at(-1) ?? '');
          return terminal.screen();
        },
        { interval: 5 },
        // A slow start has a moving line of its own.
      ).toMatch(/^\S Run the tests · Ctrl-C.*$(?![\s\S])/m);
      expect(terminal.rows().at(-1)).toMatch(movingLine);
      expect(seen.size).toBeGreaterThan(3);
      writeFileSync(go, '');
      expect(await terminal.ended).toBe(0);
      await expect(picture(terminal)).toMatchFileSnapshot(`golden/screens/turn-${columns}.txt`);
    });

    test('a permission shows its diff once, is answered with a key, and the edit appears once', async () => {
      const agent = await demoAgent('v2-baseline', temporaryFolder());
      const args = ['prompt', 'please edit', '--cwd', notesFolder(), ...agent];
      const terminal = await startCommandInTerminal(args, columns);
      await eventually(terminal.screen).toMatch(/Your choice, 1 to 3: $/);
      await expect(picture(terminal)).toMatchFileSnapshot(`golden/screens/permission-asked-${columns}.txt`);
      terminal.type('1\r');
      expect(await terminal.ended).toBe(0);
      // The terminal wraps what the agent says.
      expect(terminal.brokenLines().filter((line) => !line.startsWith('  '))).toEqual([]);
      expect(terminal.screen().match(/\+- please edit/g)).toHaveLength(1);
      expect(terminal.screen().match(/[○✓] Edit NOTES\.md/g)).toEqual(['○ Edit NOTES.md', '✓ Edit NOTES.md']);
      await expect(picture(terminal)).toMatchFileSnapshot(`golden/screens/permission-${columns}.txt`);
      expect(terminal.isCursorVisible()).toBe(true);
      expect(await terminal.isPlain()).toBe(true);
      expect(terminal.settings()).toMatch(/ icanon[\s\S]* echo /);
    });
  });

  // In 83 columns, the message fills a row.
  test.each([40, 83, 140])(
    'of %i columns, a message that stops says that the agent works',
    async (columns) => {
      const go = join(temporaryFolder(), 'go');
      const args = ['prompt', 'hi', ...smallAgent('waits-in-message')];
      const terminal = await startCommandInTerminal(args, columns, { env: { GO: go } });
      await eventually(terminal.screen).toMatch(/its\s+\S Working · Ctrl-C cancels · \d+ s$/);
      writeFileSync(go, '');
      expect(await terminal.ended).toBe(0);
      expect(terminal.lines()[1]).toMatch(/^ {2}This .*, then waits and goes on .* some lines\.$/);
      expect(terminal.lines().slice(2)).toEqual(['', 'Session', '  s']);
    },
  );

  test.each([
    ['opening a session', 'Opening a session', ['prompt', 'hi', ...smallAgent('opens-no-session')]],
    ['a list of sessions', 'Listing the sessions, 0 so far', ['sessions', ...smallAgent('lists-no-session')]],
    ['loading', 'Loading, 1 updates', ['transcript', 's', ...smallAgent('hangs-in-load')]],
    ['checking an agent', 'Checking .*node', ['doctor', ...smallAgent('opens-no-session')]],
    ['reading', 'Reading stdin', ['fold', '-']],
  ])('the wait for %s says what it is, for how long, and how to end it', async (_, what, args) => {
    const terminal = await startCommandInTerminal(args, 140);
    await eventually(terminal.screen).toMatch(new RegExp(`^\\S ${what} · Ctrl-C exits · \\d+ s$`, 'm'));
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).not.toMatch(movingLine);
  });

  test('after Ctrl-C in a turn, the line says what Ctrl-C does now', async () => {
    const terminal = await startCommandInTerminal(['prompt', 'hi', ...smallAgent('hangs-in-turn')], 80);
    await eventually(terminal.screen).toMatch(/think\.\n\S Working · Ctrl-C cancels · \d+ s$/);
    terminal.type('\x03');
    await eventually(terminal.screen).toMatch(/\n\S Cancelling · Ctrl-C exits · \d+ s$/);
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
  });

  test('a prompt that is typed says how it ends', async () => {
    const terminal = await startCommandInTerminal(['prompt', '-', ...smallAgent('reads-links')], 80);
    await eventually(terminal.screen).toBe('Type the prompt. Ctrl-D on an empty line sends it.');
    terminal.type('hello\r\x04');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('"text":"hello\\n"');
  });

  test.each([
    ['inspect', smallAgent('ordinary'), '  \x1b[0;32myes\x1b[0m  session.load'],
    ['sessions', smallAgent('lists-long-titles'), '\x1b[0;2m28 Feb 2026, 17:05 UTC\x1b[0m'],
    ['doctor', smallAgent('wants-login'), '\x1b[0;31mThe agent refused'],
  ])('%s has weight and color', async (command, agent, shown) => {
    const terminal = await startCommandInTerminal([command, ...agent], 140);
    await terminal.ended;
    expect(terminal.written()).toContain(shown);
    expect(terminal.written()).toContain('\x1b[0;1m');
  });

  describe('of 40 columns', () => {
    test.each([
      { args: ['prompt', '--help'], code: 0, says: /--allow-edits DIR…/ },
      { args: ['inspect', ...smallAgent('offers-logins')], code: 0, says: /Login/ },
      { args: ['sessions', ...smallAgent('lists-long-titles')], code: 0, says: /長い題名/ },
      { args: ['transcript', 's', ...smallAgent('bare')], code: 3, says: /Nothing\swas\ssent/ },
      { args: ['prompt', 'x', '--frmat', 'json'], code: 2, says: /no\soption\s--frmat/ },
      { args: ['doctor', ...smallAgent('crash-at-start')], code: 5, says: /There is no\smodel here/ },
    ])('what $args.0 $args.1 prints fits, and no word is broken', async ({ args, code, says }) => {
      const terminal = await startCommandInTerminal(args, 40);
      expect(await terminal.ended).toBe(code);
      expect(terminal.screen()).toMatch(says);
      expect(terminal.brokenLines()).toEqual([]);
    });

    test('a transcript fits, apart from code, and has each word', async () => {
      const args = ['transcript', 'example-leap-day', ...(await demoAgent('v2-baseline', temporaryFolder()))];
      const terminal = await startCommandInTerminal(args, 40);
      expect(await terminal.ended).toBe(0);
      expect(terminal.brokenLines().filter((line) => !line.startsWith('    '))).toEqual([]);
      const words = (text: string) =>
        text
          .split(/[\s·]+/)
          .filter(Boolean)
          .sort();
      expect(words(terminal.lines().join('\n'))).toEqual(words((await runHere(args)).stdout));
    });
  });

  test('a program that downloads says that it may', async () => {
    const npx = join(temporaryFolder(), 'npx');
    const [, node = '', ...args] = smallAgent('starts-slowly');
    writeFileSync(npx, `#!/bin/sh\nexec '${node}' "$@"\n`);
    chmodSync(npx, 0o755);
    const terminal = await startCommandInTerminal(['inspect', '--', npx, ...args], 400);
    await eventually(terminal.screen).toMatch(
      /^\S Starting, npx may download it: .*npx .* · Ctrl-C exits · 1 s$/,
    );
    expect(await terminal.ended).toBe(0);
  });

  test('a dumb terminal has no line that moves', async () => {
    const env = { TERM: 'dumb' };
    const args = ['prompt', 'hi', ...smallAgent('starts-slowly')];
    const terminal = await startCommandInTerminal(args, 80, { env });
    expect(await terminal.ended).toBe(0);
    expect(terminal.written()).toBe('Agent\r\n  Yes.\r\n\r\nSession\r\n  s\r\n');
  });
});
