import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Neovim, startNeovim, whyNoNeovim } from '../support/neovim.ts';
import { type Consumer, installPackage } from './installed.ts';

if (whyNoNeovim !== undefined) {
  process.stderr.write(`The tests of the Neovim plugin are skipped: ${whyNoNeovim}.\n`);
}

/** The demo agent, which writes its process id to a file. */
const demoAgent = (home: string) => `
import { writeFileSync } from 'node:fs';
writeFileSync('agent.pid', String(process.pid));
await import(${JSON.stringify(join(home, 'node_modules/acp-client-sdk/dist/demo-agent.js'))});
`;

/**
 * An agent of version 1. The prompt is a file with its new content, as JSON: it reads the file, writes it, reads it
 * again, and writes what it got to \`answers.json\`. With the prompt "ask" it asks for three permissions at once. The
 * file \`withdraw\` ends the first tool call before the user has answered. With the prompt "edit" it shows two files with
 * their whole texts, and asks.
 */
const fileAgent = `
import { createInterface } from 'node:readline';
import { existsSync, writeFileSync } from 'node:fs';
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const open = new Set();
const ask = (id, method, params) => {
  open.add(id);
  send({ id, method, params: { sessionId: 's1', ...params } });
};
const update = (update) => send({ method: 'session/update', params: { sessionId: 's1', update } });
let turn, file;
const answers = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') send({ id, result: { sessionId: 's1' } });
  if (method === 'session/prompt') {
    turn = id;
    const { text } = params.prompt[0];
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    if (text === 'edit') {
      const file = (path, oldText, newText) => ({ type: 'diff', path, oldText, newText });
      const content = [
        file(process.cwd() + '/a.txt', 'one\\ntwo\\n', 'one\\n2\\n'),
        file(process.cwd() + '/b.lua', null, '-- vim: set textwidth=7:\\nnew\\n'),
      ];
      const toolCall = { toolCallId: 't0', title: 'Make edits?', content };
      ask('ask 0', 'session/request_permission', { toolCall, options });
    } else if (text === 'ask') {
      for (const [index, title] of ['Delete everything', 'Run a program', 'Ask a third time'].entries()) {
        const toolCall = { toolCallId: 't' + (index + 1), title, rawInput: { command: 'rm -r ' + index } };
        ask('ask ' + (index + 1), 'session/request_permission', { toolCall, options });
      }
      const timer = setInterval(() => {
        if (!existsSync('withdraw')) return;
        clearInterval(timer);
        update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'failed' });
      }, 20);
    } else {
      file = JSON.parse(text);
      ask('before', 'fs/read_text_file', { path: file.path });
    }
  }
  if (String(id).startsWith('ask')) {
    const chosen = id + ': ' + (result.outcome.optionId ?? result.outcome.outcome) + '\\n';
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: chosen } });
    open.delete(id);
    if (open.size === 0) send({ id: turn, result: { stopReason: 'end_turn' } });
  }
  if (id === 'before' || id === 'write' || id === 'after') answers[id] = error?.message ?? result?.content ?? null;
  if (id === 'before') ask('write', 'fs/write_text_file', file);
  if (id === 'write') ask('after', 'fs/read_text_file', { path: file.path });
  if (id === 'after') {
    writeFileSync('answers.json', JSON.stringify(answers));
    send({ id: turn, result: { stopReason: 'end_turn' } });
  }
}
`;

describe.skipIf(whyNoNeovim !== undefined)('the plugin in Neovim', () => {
  let consumer: Consumer;
  let cwd: string;
  let neovim: Neovim;

  beforeAll(async () => {
    consumer = await installPackage();
    await consumer.install('neovim');
  });
  afterAll(() => consumer.remove());
  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), 'acp-workspace-')));
    await writeFile(join(cwd, 'demo.mjs'), demoAgent(consumer.folder));
    await writeFile(join(cwd, 'files.mjs'), fileAgent);
    const settings = `let g:acp_command = ['${process.execPath}', '${join(cwd, 'demo.mjs')}']`;
    neovim = await startNeovim({ home: consumer.folder, cwd, settings });
  });
  afterEach(async () => {
    await neovim.quit();
    await rm(cwd, { recursive: true, force: true });
  });

  const transcript = () => neovim.transcript();
  const question = () => neovim.question();
  const screen = () => neovim.screen();
  const useFileAgent = () =>
    neovim.lua('vim.g.acp_command = { ... }', process.execPath, join(cwd, 'files.mjs'));

  test('a turn: the question is answered with a key, and the buffer has the diff', async () => {
    await neovim.command('AcpPrompt edit `Map<b>` in a <b>note</b>');
    await eventually(question).toMatch(/^Change NOTES.md\?\n.*NOTES.md \+1 -0\n\n1 {2}Allow\n/);
    await neovim.press(':AcpAnswer<CR>1');
    await eventually(transcript).toContain('You wrote');
    const text = (await transcript()).replaceAll(cwd, '/project');
    expect(text.slice(text.indexOf('## User'))).toMatchInlineSnapshot(`
      "## User

      edit \`Map<b>\` in a <b>note</b>

      ## Thought

      > The prompt has these keywords: edit.

      ### ✓ Edit NOTES.md

      modify /project/NOTES.md:4

      \`\`\`diff
      @@ -1,4 +1,5 @@
       # Notes
       
       - Water the plants.
      +- edit \`Map<b>\` in a <b>note</b>
       - Feed the cat.
      \`\`\`

      ## Agent

      Thank you. The note stands between the plants and the cat.

      ## Agent

      You wrote: “edit \`Map<b>\` in a <b>note</b>”. I am a demo: no model, no network, only a script that always says the same.

      "
    `);
    // The agent gives the session its title after the turn.
    await eventually(transcript).toMatch(/^# edit .*Map<b>.* in a <b>note<\/b>$/m);
  });

  test('a question does not take the keys that the user types elsewhere', async () => {
    await neovim.press('i');
    await neovim.command('AcpPrompt edit a note');
    await eventually(question).toContain('Change NOTES.md?');
    await neovim.press('1<Esc>v');
    expect(await neovim.mode()).toBe('v');
    expect(await neovim.lines('%')).toBe('1');
    expect(await transcript()).toContain('Permission: Allow');
    await neovim.press('<Esc>:AcpAnswer<CR><Esc>');
    await eventually(transcript).toContain('As you wish: the notes stay as they are.');
    await eventually(question).toBe('');
  });

  test('a question waits until the command-line window is closed', async () => {
    await neovim.command('AcpPrompt plan');
    await eventually(transcript).toContain('You wrote');
    await neovim.press('q:');
    await neovim.lua("require('acp').send('prompt', 'edit a note')");
    await eventually(transcript).toContain('Permission: Allow');
    await eventually(() => neovim.lua("return require('acp').status()")).toContain('The agent asks');
    expect(await question()).toBe('');
    await neovim.press('<C-c><C-c>');
    await eventually(question).toContain('Change NOTES.md?');
  });

  test('several questions: each can be reached, and has its command', async () => {
    await useFileAgent();
    await neovim.command('AcpPrompt ask');
    await eventually(screen).toContain('Question 1 of 3');
    expect(await question()).toMatch(/^Delete everything\n\$ rm -r 0\n/);
    await neovim.press(':AcpAnswer<CR><Tab>');
    await eventually(screen).toContain('Question 2 of 3');
    expect(await question()).toMatch(/^Run a program\n\$ rm -r 1\n/);
    await neovim.press('1');
    await eventually(screen).toContain('of 2');
    await neovim.press('<Tab>');
    await eventually(screen).toContain('Question 1 of 2');
    await neovim.command('AcpAnswer 3');
    expect(await neovim.lua("return vim.fn.execute('messages')")).toContain('The choices are 1 to 2');
    await neovim.press('<CR>');
    await eventually(screen).toContain('Question 1 of 1');
    await neovim.command('quit');
    await eventually(question).toBe('');
    await neovim.command('AcpAnswer 0');
    await eventually(transcript).toContain('ask 2: yes\nask 1: yes\nask 3: no');
  });

  test('the question closes when the agent withdraws it', async () => {
    await useFileAgent();
    await neovim.command('AcpPrompt ask');
    await eventually(question).toContain('Delete everything');
    await writeFile(join(cwd, 'withdraw'), '');
    await eventually(question).toContain('Run a program');
    await eventually(transcript).toContain('### ✗ Delete everything');
  });

  test('a permission is refused if Neovim has no window', async () => {
    await neovim.close();
    await neovim.command('AcpPrompt edit a note');
    await eventually(transcript).toContain('As you wish: the notes stay as they are.');
  });

  test('the diff of an edit opens in diff mode, and its text sets no options', async () => {
    await useFileAgent();
    await neovim.command('AcpPrompt edit');
    await eventually(question).toMatch(/^Make edits\?\n.*a.txt \+1 -1\n.*b.lua \+2 -0\n/);
    // A picker that chooses the item of a number.
    await neovim.lua(`number = 1
      vim.ui.select = function(items, options, choose)
        shown = options.prompt .. ' ' .. options.format_item(items[number])
        choose(items[number])
      end`);
    await neovim.command('AcpDiff');
    await eventually(screen).toContain('acp://after/1/a.txt');
    expect(await neovim.lines('acp://before/1/a.txt')).toBe('one\ntwo');
    expect(await neovim.lines('acp://after/1/a.txt')).toBe('one\n2');
    expect(await neovim.lua('return vim.wo.diff')).toBe(true);
    expect(await neovim.lua('return shown')).toMatch(/^Files .*a.txt \+1 -1$/);
    await neovim.lua('number = 2');
    await neovim.press('q:AcpAnswer<CR>d');
    await eventually(screen).toContain('acp://after/2/b.lua');
    expect(await neovim.lua('return { vim.bo.filetype, vim.bo.textwidth }')).toEqual(['lua', 0]);
  });

  test('the status has the seconds, and a cancelled turn says so', async () => {
    await neovim.command('AcpPrompt slow');
    await eventually(screen).toMatch(/Agent \/.*Working… 1 s/);
    expect(await neovim.lua("return require('acp').status()")).toMatch(/^Working… [1-9]/);
    expect(await transcript()).not.toContain('Working');
    await neovim.command('AcpCancel');
    await eventually(transcript).toContain('*The turn ended: cancelled.*');
    await eventually(() => neovim.lua("return require('acp').status()")).toBe('');
    await neovim.command('AcpPrompt hello');
    await eventually(transcript).toMatch(/\*The turn ended: cancelled\.\*\n\n## User\n\nhello\n/);
  });

  test('sessions: the list opens a session with its history', async () => {
    await neovim.command('AcpPrompt the first one');
    await eventually(transcript).toContain('You wrote: “the first one”');
    await neovim.command('AcpNew');
    await eventually(transcript).not.toContain('first');
    await neovim.command('AcpPrompt the second one');
    await eventually(transcript).toContain('You wrote: “the second one”');
    await neovim.command('AcpSessions');
    // The list of Neovim itself waits for a number.
    await eventually(() => neovim.isBlocked()).toBe(true);
    await neovim.press('1<CR>');
    await eventually(transcript).toContain('You wrote: “the first one”');
    expect(await transcript()).not.toContain('second');
  });

  test('slash commands are completed at the start of a prompt', async () => {
    const complete = (line: string) => neovim.lua("return vim.fn.getcompletion(..., 'cmdline')", line);
    expect(await complete('AcpPrompt /')).toEqual([]);
    await neovim.command('AcpNew');
    await eventually(() => complete('AcpPrompt /')).toEqual(['/plan', '/edit', '/run', '/image', '/unicode']);
    expect(await complete('AcpPrompt /u')).toEqual(['/unicode']);
    expect(await complete('AcpPrompt what is /u')).toEqual([]);
  });

  test("the agent's sentence about an error is there once, without its code", async () => {
    await neovim.command('AcpPrompt error');
    await eventually(transcript).toContain(
      '## Problem\n\nThe prompt has the word "error" in it, so here is one\n',
    );
    await neovim.command('AcpPrompt fail');
    const failed = 'The prompt has the word "fail" in it, so this turn failed';
    await eventually(transcript).toContain(`## Turn failed\n\n${failed}\n`);
    await eventually(() => neovim.lua("return require('acp').status()")).toBe('');
    expect((await transcript()).split(failed)).toHaveLength(2);
    expect(await transcript()).not.toMatch(/-32603|session\/prompt|## Problem/);
  });

  test('text streams into the last lines, the window follows, and :AcpCancel ends the turn', async () => {
    await neovim.command('AcpPrompt plan');
    await eventually(transcript).toContain('You wrote');
    await neovim.command('AcpPrompt slow');
    await eventually(transcript).toContain('3 🐑');
    await neovim.lua(`changed = {}
      vim.api.nvim_buf_attach(vim.fn.bufnr('acp://transcript'), false, {
        on_lines = function(_, _, _, first) table.insert(changed, first) end,
      })`);
    await eventually(transcript).toContain('20 🐑');
    const lines = (await transcript()).split('\n');
    const changed = await neovim.lua('return changed');
    expect([...new Set(Object(changed))]).toEqual([lines.findIndex((line) => line.includes('3 🐑'))]);
    expect(await neovim.lua("return vim.fn.line('w$', vim.fn.bufwinid('acp://transcript'))")).toBe(
      lines.length,
    );
    await neovim.command('AcpCancel');
    await eventually(transcript).toContain('The turn ended: cancelled.');
  });

  test('what the agent says when it crashes is in the buffer, and the next prompt works', async () => {
    await neovim.command('AcpPrompt crash');
    await eventually(transcript).toContain(
      `## Turn interrupted\n\nACP demo agent exited with code 1.\n\n## Problem\n\nThe end of the agent's stderr:`,
    );
    expect(await transcript()).toContain('    demo agent: The prompt has the word "crash" in it.\n');
    expect(await neovim.isBlocked()).toBe(false);
    await neovim.command('AcpPrompt Still there?');
    await eventually(transcript).toContain('You wrote: “Still there?”');
    expect(await transcript()).not.toContain('## Problem');
  });

  test('an agent that does not start is a problem in the buffer, and another one can be tried', async () => {
    await neovim.command("let [g:good, g:acp_command] = [g:acp_command, ['/no/such/agent']]");
    await neovim.command('AcpPrompt hello');
    await eventually(transcript).toContain('/no/such/agent');
    await neovim.command('let g:acp_command = g:good');
    await neovim.command('AcpPrompt hello');
    await eventually(transcript).toContain('You wrote: “hello”');
  });

  test('a transcript that the user has deleted is drawn again', async () => {
    await neovim.command('AcpPrompt hello');
    await eventually(transcript).toContain('You wrote: “hello”');
    await neovim.command('bwipeout acp://transcript');
    await neovim.command('AcpPrompt and again');
    await eventually(transcript).toContain('You wrote: “and again”');
    expect(await transcript()).toContain('You wrote: “hello”');
  });

  test(':qa! during a turn leaves neither the agent nor the program of the plugin', async () => {
    await neovim.command('AcpPrompt slow');
    await eventually(transcript).toContain('3 🐑');
    const agent = Number(await readFile(join(cwd, 'agent.pid'), 'utf8'));
    const program = Number(
      await neovim.lua(`for _, channel in ipairs(vim.api.nvim_list_chans()) do
        if channel.argv then return vim.fn.jobpid(channel.id) end
      end`),
    );
    expect([isAlive(agent), isAlive(program)]).toEqual([true, true]);
    await neovim.quit();
    await eventually(() => [isAlive(agent), isAlive(program)]).toEqual([false, false]);
  });

  describe('a file that the agent reads and writes', () => {
    const onDisk = 'on disk\n';
    const unsaved = 'unsaved\non disk\n';
    let path: string;
    beforeEach(async () => {
      await useFileAgent();
      path = join(cwd, 'file.txt');
    });

    /** What the agent read before it wrote, what its write returned, and what it read afterwards. */
    async function turn(content: string): Promise<unknown> {
      const file = join(cwd, 'answers.json');
      await rm(file, { force: true });
      await neovim.lua('vim.cmd("AcpPrompt " .. ...)', JSON.stringify({ path, content }));
      const answers = () => readFile(file, 'utf8').then(JSON.parse, () => undefined);
      await eventually(answers).toBeDefined();
      return answers();
    }

    const states = {
      'is open': async () => neovim.command(`edit ${path}`),
      'has unsaved changes': async () => {
        await neovim.command(`edit ${path}`);
        await neovim.command('call append(0, "unsaved")');
      },
      'has unsaved changes in a hidden buffer': async () => {
        await states['has unsaved changes']();
        await neovim.command('set hidden | enew');
      },
      'is not open': async () => {},
    };

    test.each(Object.entries(states))(
      'after a write a read returns it: a file that %s',
      async (name, open) => {
        await writeFile(path, onDisk);
        await open();
        const before = name.includes('unsaved') ? unsaved : onDisk;
        expect(await turn('by the agent\n')).toEqual({ before, write: null, after: 'by the agent\n' });
        expect(await readFile(path, 'utf8')).toBe('by the agent\n');
        if (name === 'is not open') return;
        expect(await neovim.lines(path)).toBe('by the agent');
        expect(await neovim.lua('return vim.bo[vim.fn.bufnr(...)].modified', path)).toBe(false);
        await neovim.command(`buffer ${path} | undo`);
        expect(`${await neovim.lines(path)}\n`).toBe(before);
      },
    );

    test('a new file that is open without being saved', async () => {
      await neovim.command(`edit ${path} | call setline(1, "unsaved")`);
      expect(await turn('x\n')).toEqual({ before: 'unsaved\n', write: null, after: 'x\n' });
      expect(await neovim.lines(path)).toBe('x');
    });

    test('the file has exactly the bytes of the agent', async () => {
      for (const content of [
        ...['', '\n', 'no line end', 'two\n\n', 'a\r\nb\r\n', 'a\r\nb', 'mixed\r\nlines\n'],
        ...['\uFEFFwith a mark\n', '漢字 👩‍🍳 \0 \x1B[31m\n'],
      ]) {
        await writeFile(path, onDisk);
        await neovim.command(`edit! ${path} | call append(0, "unsaved")`);
        expect(await turn(content)).toEqual({ before: unsaved, write: null, after: content });
        expect(await readFile(path, 'utf8')).toBe(content);
      }
    });

    test('a buffer is read with its line ends and its mark', async () => {
      await writeFile(path, '\uFEFFa\r\nb');
      await neovim.command(`edit ${path} | call append(0, "unsaved")`);
      expect(await turn('x')).toMatchObject({ before: '\uFEFFunsaved\r\na\r\nb' });
    });

    test("if a write fails, the buffer keeps the user's text, and the agent gets the error", async () => {
      const folder = join(cwd, 'folder');
      await mkdir(folder);
      path = join(folder, 'file.txt');
      await writeFile(path, onDisk);
      await neovim.command(`edit ${path} | call append(0, "unsaved")`);
      await rm(folder, { recursive: true });
      const write = expect.stringContaining("Can't open file for writing");
      expect(await turn('x')).toMatchObject({ before: unsaved, write, after: unsaved });
      expect(`${await neovim.lines(path)}\n`).toBe(unsaved);
    });

    test('a command that formats a file when it is saved does not change what the agent wrote', async () => {
      await writeFile(path, onDisk);
      await neovim.command('autocmd BufWritePre * %s/agent/formatter/e');
      await neovim.command(`edit ${path}`);
      expect(await turn('by the agent\n')).toMatchObject({ after: 'by the agent\n' });
    });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
