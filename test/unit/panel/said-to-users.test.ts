import { describe, expect, test } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { PanelEditor } from '../../../src/ui/panel/options.ts';
import { PanelError } from '../../../src/ui/panel/panel-error.ts';
import { refuses, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, panelPair, until } from '../../support/panel-pair.ts';

const done = { stopReason: 'end_turn' };
const answersPrompts = (agent: ScriptedAgent) => void agent.on('session/prompt', done);

describe('the sessions of a page', () => {
  test('without a title of the agent have the first line of the first prompt, with 80 characters', async () => {
    const title = `${'x'.repeat(79)}…`;
    const { panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    await panel.newSession();
    expect(panel.getSnapshot().sessions).toMatchObject([{ sessionId: 's1', title: null }]);
    const turn = panel.prompt('x'.repeat(81));
    const { id = '' } = await agent().called('session/prompt');
    await until(panel, ({ sessions }) => sessions[0]?.title === title);
    answersPrompts(agent());
    agent().answer(id, done);
    await turn;
    await panel.prompt('Another one.');
    expect(panel.getSnapshot().sessions).toMatchObject([{ sessionId: 's1', title }]);
  });

  test('are listed once for calls at the same time', async () => {
    const { panel, agent } = await panelPair({ answers: { 'session/list': { sessions: [] } } });
    await panel.refreshSessions();
    const before = agent().calls('session/list').length;
    await Promise.all([panel.refreshSessions(), panel.refreshSessions()]);
    expect(agent().calls('session/list')).toHaveLength(before + 1);
  });

  test('that are given up are withdrawn from the agent', async () => {
    let count = 0;
    const { panel, agent } = await panelPair({
      answers: { 'session/new': () => (count++ === 0 ? noAnswer : { sessionId: 's2' }) },
    });
    panel.newSession().catch(() => {});
    await eventually(() => agent().calls('session/new').length).toBe(1);
    await panel.newSession();
    expect(panel.getSnapshot().sessionId).toBe('s2');
    expect(agent().calls('$/cancel_request')).toHaveLength(1);
  });

  test('keep the first prompt as their title when they are closed, and lose it to the title of the agent', async () => {
    let title: string | undefined;
    const { panel } = await panelPair({
      answers: {
        'session/prompt': done,
        'session/close': {},
        'session/list': () => ({ sessions: [{ sessionId: 's1', cwd, ...(title && { title }) }] }),
      },
    });
    await panel.prompt([text('Hello.\n'), text('World.')]);
    await panel.closeSession('s1');
    expect(panel.getSnapshot().sessions).toMatchObject([{ sessionId: 's1', title: 'Hello.' }]);
    expect(panel.getSnapshot().problem).toBeNull();
    title = 'A greeting';
    await panel.refreshSessions();
    expect(panel.getSnapshot().sessions).toMatchObject([{ sessionId: 's1', title: 'A greeting' }]);
  });
});

describe('an error of the agent', () => {
  const fails = (message: string) => refuses(-32603, message);

  test("is the agent's sentence for the user, and has the method and the code in the log", async () => {
    const { panel, problems } = await panelPair({ answers: { 'session/new': fails('The disk is full.') } });
    await expect(panel.newSession()).rejects.toMatchObject({ message: 'The disk is full.', detail: null });
    const problem = { message: 'The disk is full.', code: 'remote' };
    expect(panel.getSnapshot().problem).toEqual({ ...problem, detail: null, remedy: null });
    const detail = 'The agent answered session/new with error -32603: The disk is full.';
    expect(problems).toMatchObject([{ ...problem, detail: expect.stringContaining(detail) }]);
  });

  test('that ended a turn is said in the transcript only, and in the log, and the prompt is no draft again', async () => {
    const { panel, problems, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    const turn = panel.prompt('Work.');
    const { id = 0 } = await agent().called('session/prompt');
    agent().update('s1', { sessionUpdate: 'agent_message_chunk', content: text('I begin.') });
    agent().channel.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'It broke.' } });
    await expect(turn).rejects.toMatchObject({ message: 'It broke.' });
    const { draft, problem, conversation } = panel.getSnapshot();
    expect(conversation?.entries.at(-1)).toMatchObject({ kind: 'turnFailure', reason: 'It broke.' });
    expect([draft, problem]).toEqual(['', null]);
    expect(problems).toMatchObject([
      { message: 'It broke.', detail: expect.stringContaining('session/prompt with error -32603') },
    ]);
  });

  test('that ended a turn of another session is a problem', async () => {
    const { panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    const turn = panel.prompt('Work.');
    turn.catch(() => {});
    const { id = 0 } = await agent().called('session/prompt');
    await panel.newSession();
    agent().update('s1', { sessionUpdate: 'agent_message_chunk', content: text('I begin.') });
    agent().channel.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'It broke.' } });
    await expect(turn).rejects.toThrow('It broke.');
    expect(panel.getSnapshot().problem?.message).toBe('It broke.');
  });
});

describe('what a problem offers', () => {
  test.each(['openFolder', 'manageTrust', 'showLog'] as const)(
    'can be %s, which is called',
    async (action) => {
      const called: string[] = [];
      const editor: PanelEditor = { [action]: () => called.push(action) };
      const remedy = action === 'showLog' ? null : action;
      const found = { message: 'Not here.', detail: null, code: 'panel.place', remedy };
      const { panel } = await panelPair({
        options: {
          editor,
          agent: () => {
            throw new PanelError(found);
          },
        },
      });
      expect(panel.getSnapshot()).toMatchObject({
        phase: 'closed',
        problem: { ...found, remedy: remedy ?? 'restart' },
      });
      expect(panel.getSnapshot().actions).toEqual([action]);
      await panel[action]();
      expect(called).toEqual([action]);
    },
  );
});

test('a text for the editor is inserted if the page shows it', async () => {
  const inserted: string[] = [];
  const said =
    'Use this:\n\n1. First:\n   ```ts\n   const a = 1;\n\n   run(a);\u202e\n   ```\n> ```\n> quoted\n> ```';
  const { panel } = await panelPair({
    options: { editor: { insertText: (code) => inserted.push(code) } },
    script: (agent) =>
      agent.on('session/prompt', () => {
        agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text(said) });
        return done;
      }),
  });
  await panel.prompt('How?');
  for (const code of ['const a = 2;\n', 'const a = 1;\nrun(b);']) {
    await expect(panel.insertText(code)).rejects.toMatchObject({ code: 'panel.refused' });
  }
  const shown = ['const a = 1;\n\nrun(a);\ufffd\n', 'quoted\n'];
  for (const code of shown) await panel.insertText(code);
  expect(inserted).toEqual(shown);
});
