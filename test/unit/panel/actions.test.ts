import { describe, expect, test } from 'vitest';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import type { PanelEditor } from '../../../src/ui/panel/options.ts';
import { everything, refuses, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { configOptions, cwd, panelPair, until } from '../../support/panel-pair.ts';
import { says, toolCall } from '../../support/updates.ts';

describe('settings and messages that wait', () => {
  test('a message of the queue waits for the turn, and can be revoked', async () => {
    const { panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    const turn = panel.prompt('first');
    await agent().called('session/prompt');
    const kept = panel.queue('second');
    const revoked = panel.queue('third');
    const { conversation } = await until(panel, (state) => state.conversation?.pendingMessages?.length === 2);
    await expect(panel.revoke(conversation?.pendingMessages?.[1]?.id ?? '')).resolves.toBe(true);
    await expect(revoked).resolves.toEqual({ stopReason: 'cancelled' });
    const [first] = agent().calls('session/prompt');
    agent().answer(first?.id ?? '', { stopReason: 'end_turn' });
    await turn;
    const second = await agent().called('session/prompt', 2);
    agent().answer(second.id ?? '', { stopReason: 'max_tokens' });
    await expect(kept).resolves.toEqual({ stopReason: 'max_tokens' });
    await expect(panel.revoke('unknown')).resolves.toBe(false);
  });

  test('a steered message reaches the running turn', async () => {
    const { panel, agent } = await panelPair({
      dialect: 'v2-baseline',
      script: (scripted) =>
        scripted
          .on('session/prompt', () => {
            scripted.update('s1', { sessionUpdate: 'state_update', state: 'running' });
            return {};
          })
          .on('session/inject', { messageId: 'm9' }),
    });
    const turn = panel.prompt('first');
    turn.catch(() => {});
    await until(panel, ({ conversation }) => conversation?.activity.state === 'running');
    await expect(panel.steer('faster')).resolves.toEqual({ outcome: 'injected' });
    expect(agent().calls('session/inject')).toHaveLength(1);
  });
});

describe('the draft and refused prompts', () => {
  const refusal = refuses(-32602, 'not like this');

  test('the text of a refused prompt is the draft again', async () => {
    const { panel, served } = await panelPair({ script: (agent) => agent.on('session/prompt', refusal) });
    panel.setDraft('do it');
    const turn = panel.prompt(panel.getSnapshot().draft);
    expect(panel.getSnapshot().draft).toBe('');
    await expect(turn).rejects.toMatchObject({
      name: 'PanelError',
      message: expect.stringContaining('not like this'),
    });
    expect(panel.getSnapshot()).toMatchObject({
      draft: 'do it',
      problem: { message: expect.stringContaining('not like this') },
    });
    expect(served.state.draft).toBe('do it');
    await panel.dismissProblem();
    expect(panel.getSnapshot().problem).toBeNull();
  });

  test('what was written meanwhile stays', async () => {
    const { served, panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    const refused = panel.prompt('do it');
    const call = await agent().called('session/prompt');
    panel.setDraft('something else');
    await eventually(() => served.state.draft).toBe('something else');
    agent().channel.send({ jsonrpc: '2.0', id: call.id ?? 0, error: { code: -32602, message: 'no' } });
    await expect(refused).rejects.toThrow();
    expect(panel.getSnapshot().draft).toBe('something else');
  });

  test('a prompt that fails before the agent runs keeps its text', async () => {
    const { panel, problems } = await panelPair({
      options: {
        agent: () => {
          throw new Error('no such command\nsecond line');
        },
      },
    });
    expect(panel.getSnapshot()).toMatchObject({
      phase: 'closed',
      problem: { message: 'no such command', detail: 'second line', remedy: 'restart' },
    });
    expect(problems).toEqual([panel.getSnapshot().problem]);
    await expect(panel.prompt('hello')).rejects.toMatchObject({
      code: 'connection.closed',
      remedy: 'restart',
    });
    expect(panel.getSnapshot()).toMatchObject({ draft: 'hello', problem: { message: 'no such command' } });
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
    // In JavaScript a block can have anything.
    const wrong = { type: 'text', text: 7 } as never;
    await expect(panel.prompt([text('two'), image, wrong, text('lines')])).rejects.toThrow();
    expect(panel.getSnapshot().draft).toBe('two\nlines');
  });
});

describe('places, links and attachments', () => {
  async function withEntries() {
    const opened: unknown[] = [];
    const editor: PanelEditor = {
      openLocation: (location) => opened.push(location),
      openDiff: (diff) => opened.push(diff),
      openLink: (url) => opened.push(url),
      chooseAttachments: async () => [
        { type: 'resource_link', name: 'notes', uri: 'file:///home/user/notes.md' },
      ],
    };
    const pair = await panelPair({
      options: { editor },
      script: (agent) =>
        agent.on('session/prompt', () => {
          agent.update(
            's1',
            says('See [a](src/a%20b.ts#L12), src/c.ts:7 and https://example.com.', 'm1'),
            toolCall('v1', {
              locations: [{ path: `${cwd}/a.ts`, line: 3 }, { path: '/usr/include/stdio.h' }],
              content: [{ type: 'diff', path: `${cwd}/a.ts`, oldText: 'a', newText: 'b' }],
            }),
          );
          return { stopReason: 'end_turn' };
        }),
    });
    await pair.panel.prompt('Go.');
    const keys = Object.fromEntries(
      pair.panel.getSnapshot().conversation?.entries.map(({ kind, key }) => [kind, key]) ?? [],
    );
    return { ...pair, opened, message: keys['message'] ?? '', tool: keys['toolCall'] ?? '' };
  }

  test('the editor gets the paths that the conversation names', async () => {
    const { panel, opened, message, tool } = await withEntries();
    expect(panel.getSnapshot().actions).toEqual([
      'openLocation',
      'openDiff',
      'openLink',
      'chooseAttachments',
    ]);
    await panel.openLocation({ kind: 'location', entryKey: tool, index: 0 });
    await panel.openLocation({ kind: 'location', entryKey: tool, index: 1 });
    await panel.openLocation({ kind: 'diff', entryKey: tool, index: 0 });
    await panel.openDiff({ kind: 'diff', entryKey: tool, index: 0 });
    await panel.openLocation({ kind: 'link', entryKey: message, uri: 'src/a%20b.ts#L12' });
    await panel.openLocation({ kind: 'link', entryKey: message, uri: 'src/c.ts:7' });
    await panel.openLink('https://example.com/');
    for (const beginning of ['https://e', 'https://example', 'https://example.co'])
      await expect(panel.openLink(beginning)).rejects.toMatchObject({ code: 'panel.refused' });
    expect(opened).toEqual([
      { path: `${cwd}/a.ts`, line: 3 },
      { path: '/usr/include/stdio.h', line: null },
      { path: `${cwd}/a.ts`, line: null },
      { path: `${cwd}/a.ts`, oldText: 'a', newText: 'b', patch: null },
      { path: `${cwd}/src/a b.ts`, line: 12 },
      { path: `${cwd}/src/c.ts`, line: 7 },
      'https://example.com/',
    ]);
  });

  test('a prompt can contain files of the workspace, and what the user chose', async () => {
    const { panel, agent } = await withEntries();
    const outside = { type: 'resource_link' as const, name: 'notes', uri: 'file:///home/user/notes.md' };
    panel.setDraft('These');
    await expect(panel.prompt([outside])).rejects.toMatchObject({ code: 'panel.outside' });
    expect(panel.getSnapshot().draft).toBe('These');
    // In JavaScript it can be anything.
    await expect(panel.prompt(7 as never)).rejects.toMatchObject({ code: 'panel.refused' });
    expect(panel.getSnapshot()).toMatchObject({ draft: 'These', problem: { code: 'panel.refused' } });
    const chosen = await panel.chooseAttachments();
    const inside = { type: 'resource_link' as const, name: 'a', uri: `file://${cwd}/a.ts` };
    await panel.prompt([text('These'), ...chosen, inside]);
    expect(agent().calls('session/prompt')[1]?.params?.['prompt']).toEqual([
      text('These'),
      ...chosen,
      inside,
    ]);
  });

  test('a function of the editor that fails is a problem', async () => {
    const fail = () => Promise.reject(new Error('The editor cannot show this.'));
    const { panel } = await panelPair({ options: { editor: { chooseAttachments: fail } } });
    await expect(panel.chooseAttachments()).rejects.toThrow('The editor cannot show this.');
    expect(panel.getSnapshot().problem?.message).toBe('The editor cannot show this.');
  });
});

describe('what is done beside the action of the user', () => {
  test('without a session nothing is cancelled or revoked, and without an agent no attempt begins', async () => {
    const fails = () => {
      throw new Error('There is no such program.');
    };
    const { panel } = await panelPair({ options: { agent: fails } });
    await panel.cancel();
    await panel.retryNow();
    expect(panel.getSnapshot().problem?.message).toBe('There is no such program.');
    expect(await panel.searchTranscripts('x')).toEqual({ hits: [], isComplete: true });
    await expect(panel.revoke('m1')).rejects.toMatchObject({ code: 'panel.session' });
    await panel.dismissProblem();
    expect(panel.getSnapshot().problem).toBeNull();
  });

  test('a setting that is changed while the session is opened belongs to the session, and the state shows each change when its promise resolves', async () => {
    const { panel, agent } = await panelPair({
      answers: {
        'session/new': noAnswer,
        'session/set_config_option': ({ value }) => ({
          configOptions: [{ ...configOptions[0], currentValue: String(value) }],
        }),
      },
    });
    const created = panel.newSession();
    const { id = '' } = await agent().called('session/new');
    const changed = panel.changeSetting('model', 'large');
    await settle();
    agent().answer(id, { sessionId: 's1', configOptions });
    await Promise.all([created, changed]);
    expect(panel.getSnapshot().settings).toMatchObject([{ settingId: 'model', value: 'large' }]);
    await panel.changeSetting('model', 'small');
    expect(panel.getSnapshot().settings).toMatchObject([{ settingId: 'model', value: 'small' }]);
  });

  test('the error of a turn that a steered message began is said in the transcript, and in the log', async () => {
    const { panel, problems, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
    await panel.newSession();
    const { outcome } = await panel.steer('Begin.');
    const { id = 0 } = await agent().called('session/prompt');
    agent().channel.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'It broke.' } });
    await eventually(() => problems.map(({ message }) => message)).toEqual(['It broke.']);
    const { problem } = await until(
      panel,
      ({ conversation }) => conversation?.entries.at(-1)?.kind === 'turnFailure',
    );
    expect([outcome, problem]).toEqual(['queued', null]);
  });

  test('the sessions are listed again after a prompt, whose result does not depend on it', async () => {
    let title: string | undefined;
    const { panel, problems, agent } = await panelPair({
      answers: {
        'session/prompt': () => {
          title = 'A greeting';
          return { stopReason: 'end_turn' };
        },
        'session/list': () => ({ sessions: [{ sessionId: 's1', cwd, ...(title && { title }) }] }),
      },
    });
    await panel.prompt('Hello.');
    await until(panel, ({ sessions }) => sessions[0]?.title === 'A greeting');
    agent().on('session/list', refuses(-32603, 'The index is gone.'));
    await panel.prompt('And now?');
    await eventually(() => problems.map(({ message }) => message)).toEqual(['The index is gone.']);
    expect(panel.getSnapshot().problem).toBeNull();
  });
});

test('a login of the agent is the one that the user chose, also if the editor has a terminal', async () => {
  const inTerminal: unknown[] = [];
  const authMethods = ['one', 'two'].map((id) => ({ id, name: id }));
  const { panel, agent } = await panelPair({
    initialize: { ...everything.v1, authMethods },
    options: { editor: { loginInTerminal: async (method) => void inTerminal.push(method) } },
    answers: { authenticate: {}, logout: {} },
  });
  await panel.login('two');
  expect(
    agent()
      .calls('authenticate')
      .map(({ params }) => params),
  ).toEqual([{ methodId: 'two' }]);
  expect(inTerminal).toEqual([]);
  await panel.logout();
  expect(agent().calls('logout')).toHaveLength(1);
});
