import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import type { TrafficRecord } from '../../../src/core/trace/traffic.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, loadMethod, refuses } from '../../support/agents.ts';
import { deliver, flush, messages, toolCalls } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { stateUpdate, toolCallUpdate, yes } from '../../support/updates.ts';

/** An editor on Windows with an agent in WSL. */
const paths = pathMap([
  { editor: 'C:\\work', agent: '/mnt/c/work' },
  { editor: '\\\\wsl$\\Ubuntu\\home', agent: '/home' },
]);
const app = { editor: 'C:\\work\\app', agent: '/mnt/c/work/app' };
const home = { editor: '\\\\wsl$\\Ubuntu\\home\\me', agent: '/home/me' };

/** Nothing of the agent's form is in a value of the client, and nothing of the editor's form in a message. */
const agentForm = /\/mnt\/c|file:\/\/\/home/;
const editorForm = /C:|wsl\$/;

async function open(dialect: (typeof dialectNames)[number], handlers: ClientHandlers = {}) {
  const records: TrafficRecord[] = [];
  const connected = await connectTo(everything[dialect], {
    paths,
    trace: { write: (record) => records.push(structuredClone(record)) },
    handlers: { extensions: { '_test/flush': () => null }, ...handlers },
    script: (agent) => {
      agent.on('session/new', { sessionId: 's1' });
      for (const method of ['session/load', 'session/resume']) agent.on(method, {});
      agent.on('session/fork', { sessionId: 's2' });
    },
  });
  const session = await connected.connection.newSession({ cwd: app.editor });
  return { ...connected, session, records };
}

/** A recording has the agent's paths. With the map, it folds to the conversation that the editor had. */
async function expectSameFold(session: Session, records: readonly TrafficRecord[]): Promise<void> {
  const lines = records.map((record) => JSON.stringify(record));
  const withMap = await foldTraffic(lines, { paths });
  expect(withMap.sessions[0]?.conversation).toEqual(session.conversation);
  const { sessions } = await foldTraffic(lines);
  expect(JSON.stringify(sessions)).toMatch(agentForm);
}

const paramsOf = (agent: ScriptedAgent, method: string) => agent.calls(method).at(-1)?.params;

describe.each(dialectNames)('in %s', (dialect) => {
  test('the calls that open a session send paths of the agent, and the session has those of the editor', async () => {
    const { agent, connection, session } = await open(dialect);
    expect(session.cwd).toBe(app.editor);
    expect(paramsOf(agent, 'session/new')).toMatchObject({ cwd: app.agent });
    const params = {
      sessionId: 's3',
      cwd: app.editor,
      additionalDirectories: [`${home.editor}\\lib`, 'D:\\elsewhere'],
      mcpServers: [
        { name: 'm', command: `${app.editor}\\tools\\server`, args: ['--root', app.editor], env: [] },
        { name: 'n', command: '/usr/bin/node' },
      ],
    };
    const expected = {
      cwd: app.agent,
      additionalDirectories: [`${home.agent}/lib`, 'D:\\elsewhere'],
      mcpServers: [
        // Arguments are text.
        { name: 'm', command: `${app.agent}/tools/server`, args: ['--root', app.editor] },
        { name: 'n', command: '/usr/bin/node' },
      ],
    };
    const resumed = await connection.resumeSession(params);
    expect(resumed.cwd).toBe(app.editor);
    expect(paramsOf(agent, 'session/resume')).toMatchObject({ sessionId: 's3', ...expected });
    await connection.loadSession(params);
    const load = loadMethod(dialect);
    expect(paramsOf(agent, load)).toMatchObject({ sessionId: 's3', ...expected });
    const forked = await connection.forkSession(params);
    expect(forked.cwd).toBe(app.editor);
    expect(paramsOf(agent, 'session/fork')).toMatchObject({ sessionId: 's3', ...expected });
    const opened = await connection.openSession({ ...params, sessionId: 's4' });
    expect(opened.cwd).toBe(app.editor);
    expect(paramsOf(agent, load)).toMatchObject({ sessionId: 's4', ...expected });
  });

  test('a list of sessions is asked for and answered with the paths of the agent', async () => {
    const { agent, connection } = await open(dialect);
    agent.on('session/list', {
      sessions: [
        { sessionId: 'a', cwd: app.agent, additionalDirectories: [home.agent] },
        { sessionId: 'b', cwd: '/srv/elsewhere' },
      ],
    });
    const { sessions } = await connection.listSessions({ cwd: app.editor }).page();
    expect(paramsOf(agent, 'session/list')).toEqual({ cwd: app.agent });
    expect(sessions).toEqual([
      { sessionId: 'a', cwd: app.editor, additionalDirectories: [home.editor] },
      { sessionId: 'b', cwd: '/srv/elsewhere' },
    ]);
  });

  test('a prompt is sent with the paths of the agent, and shown with those of the editor', async () => {
    const { agent, session, records } = await open(dialect);
    agent.on('session/prompt', dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'm1' });
    const prompt = [
      { type: 'text', text: `Read ${app.editor}.` },
      { type: 'resource_link', name: 'a', uri: 'file:///C:/work/app/a%20b.ts' },
      { type: 'resource', resource: { uri: 'file://wsl$/Ubuntu/home/me/x', text: 'x' } },
      { type: 'resource_link', name: 'web', uri: 'https://example.com/C:/work' },
    ] as const;
    const turn = session.prompt(prompt);
    await turn.accepted;
    const { prompt: sent } = (await agent.called('session/prompt')).params as { readonly prompt: unknown };
    expect(sent).toEqual([
      prompt[0],
      { ...prompt[1], uri: 'file:///mnt/c/work/app/a%20b.ts' },
      { type: 'resource', resource: { uri: 'file:///home/me/x', text: 'x' } },
      prompt[3],
    ]);
    expect(messages(session.conversation)[0]?.content).toEqual(prompt);
    // The agent's echo replaces the prompt.
    const echo = { sessionUpdate: 'user_message_chunk', messageId: 'm1' };
    agent.update('s1', ...(sent as readonly object[]).map((content) => ({ ...echo, content })));
    if (dialect !== 'v1') agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
    await turn;
    await flush(agent);
    const said = JSON.stringify(messages(session.conversation));
    expect(said).toContain('file:///C:/work/app/a%20b.ts');
    expect(said).toContain('file://wsl$/Ubuntu/home/me/x');
    expect(said).not.toMatch(agentForm);
    await expectSameFold(session, records);
  });

  test('what the agent reports has the paths of the editor, and the recording those of the agent', async () => {
    const { agent, session, records, diagnostics } = await open(dialect);
    const seen: ConversationUpdate[] = [];
    session.onUpdate((update) => seen.push(update));
    const link = { type: 'resource_link', name: 'a', uri: `file://${app.agent}/a.ts` };
    const diff =
      dialect === 'v1'
        ? { type: 'diff', path: `${app.agent}/a.ts`, oldText: 'a', newText: 'b' }
        : {
            type: 'diff',
            changes: [{ operation: 'move', path: `${app.agent}/a.ts`, oldPath: `${app.agent}/b.ts` }],
            patch: { format: 'git_patch', text: `diff --git a${app.agent}/b.ts b${app.agent}/a.ts` },
          };
    await deliver(
      agent,
      { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: link },
      {
        sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
        toolCallId: 'c1',
        title: `Edit ${app.agent}/a.ts`,
        locations: [
          { path: `${app.agent}/a.ts`, line: 3 },
          { path: 'src/relative.ts' },
          { path: '/etc/hosts' },
        ],
        content: [diff, { type: 'content', content: link }],
        rawInput: { path: `${app.agent}/a.ts` },
        _meta: { path: app.agent },
      },
      {
        sessionUpdate: 'plan_update',
        plan: { type: 'markdown', planId: 'p', content: '# Plan', path: `${app.agent}/PLAN.md` },
      },
      {
        sessionUpdate: 'subagent_update',
        sessionId: 'child',
        cwd: app.agent,
        additionalDirectories: [home.agent],
      },
    );
    expect(diagnostics).toEqual([]);
    const editorLink = { ...link, uri: 'file:///C:/work/app/a.ts' };
    expect(messages(session.conversation)[0]?.content).toEqual([editorLink]);
    const [call] = toolCalls(session.conversation);
    expect(call).toMatchObject({
      // Text, what the tool was called with, and metadata stay as they are.
      title: `Edit ${app.agent}/a.ts`,
      rawInput: { path: `${app.agent}/a.ts` },
      meta: { path: app.agent },
      locations: [
        { path: `${app.editor}\\a.ts`, line: 3 },
        { path: 'src/relative.ts' },
        { path: '/etc/hosts' },
      ],
      content: [
        { type: 'diff', changes: [{ path: `${app.editor}\\a.ts` }] },
        { type: 'content', content: editorLink },
      ],
    });
    if (dialect !== 'v1') {
      expect(call?.content[0]).toMatchObject({
        changes: [{ oldPath: `${app.editor}\\b.ts` }],
        patch: { text: `diff --git a${app.agent}/b.ts b${app.agent}/a.ts` },
      });
    }
    expect(session.subagents[0]).toMatchObject({ cwd: app.editor, additionalDirectories: [home.editor] });
    expect(session.conversation.plans).toMatchObject([{ path: `${app.editor}\\PLAN.md` }]);
    expect(JSON.stringify(records)).toContain(app.agent);
    expect(JSON.stringify(records)).not.toMatch(editorForm);
    await expectSameFold(session, records);
  });

  test('a tool call that is malformed in parts is converted as well, and its diagnostic shows what arrived', async () => {
    const { agent, session, diagnostics } = await open(dialect);
    await deliver(agent, {
      sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
      toolCallId: 'c1',
      title: 'Edit',
      kind: 7,
      locations: [{ path: 7 }, { path: `${app.agent}/a.ts` }],
      content: [{ type: 'diff' }, { type: 'terminal', terminalId: 't1' }],
    });
    const [call] = toolCalls(session.conversation);
    expect(call?.locations).toEqual([{ path: '{"path":7}' }, { path: `${app.editor}\\a.ts` }]);
    expect(call?.content.map(({ type }) => type)).toEqual(['_malformed', 'terminal']);
    expect(diagnostics[0]?.received).toContain(app.agent);
  });

  test('a permission is asked for with the paths of the editor', async () => {
    const asked: unknown[] = [];
    const { agent, session } = await open(dialect, {
      requestPermission: (request) => {
        asked.push(request);
        return { outcome: 'cancelled' };
      },
    });
    const toolCall = { toolCallId: 'c1', title: 'Edit', locations: [{ path: `${app.agent}/a.ts` }] };
    const options = [yes];
    const ask = (more: JsonObject) =>
      agent.request('session/request_permission', { sessionId: 's1', options, ...more });
    if (dialect === 'v1') await ask({ toolCall });
    else {
      await ask({ title: 'Edit?', subject: { type: 'tool_call', toolCall } });
      await ask({ title: 'Run?', subject: { type: 'command', command: 'ls', cwd: app.agent } });
      expect(asked[1]).toMatchObject({ subject: { type: 'command', cwd: app.editor } });
    }
    expect(asked[0]).toMatchObject({ toolCall: { locations: [{ path: `${app.editor}\\a.ts` }] } });
    expect(toolCalls(session.conversation)[0]?.locations).toEqual([{ path: `${app.editor}\\a.ts` }]);
  });

  test('a request by its name is converted as the typed call, and an extension is not', async () => {
    const { agent, connection } = await open(dialect);
    agent.on('session/list', {
      sessions: [{ sessionId: 'a', cwd: app.agent, vendor: app.agent }, { cwd: 7 }],
    });
    agent.on('_vendor/list', ({ cwd }) => ({ cwd, agent: app.agent }));
    const listed = await connection.request('session/list', { cwd: app.editor });
    expect(paramsOf(agent, 'session/list')).toEqual({ cwd: app.agent });
    // What the protocol does not define stays as it is, and the result is not checked.
    expect(listed).toEqual({
      sessions: [{ sessionId: 'a', cwd: app.editor, vendor: app.agent }, { cwd: 7 }],
    });
    const cwd = paths.toAgent(app.editor);
    expect(await connection.request('_vendor/list', { cwd: app.editor })).toMatchObject({ cwd: app.editor });
    expect(await connection.request('_vendor/list', { cwd })).toEqual({ cwd: app.agent, agent: app.agent });
  });

  test('a path that is not absolute is refused with the value of the editor', async () => {
    const { connection } = await open(dialect);
    await expect(connection.newSession({ cwd: 'work' })).rejects.toThrow(
      'cwd must be an absolute path; got "work"',
    );
    await expect(connection.newSession({ cwd: 'C:work' })).rejects.toThrow('got "C:work"');
  });

  test('a session that is restored after a crash is opened with the path of the agent', async () => {
    const restarting = await connectRestarting(
      (agent) => agent.on('initialize', everything[dialect]).on('session/resume', {}),
      { paths },
    );
    const { agents, connection } = restarting;
    const session = await connection.newSession({ cwd: app.editor });
    await crash(restarting);
    expect(agents[1]?.calls('session/resume')[0]?.params).toMatchObject({ sessionId: 's1', cwd: app.agent });
    expect(session.cwd).toBe(app.editor);
  });
});

describe('in version 1', () => {
  test('requests for files have the paths of the editor', async () => {
    const read: string[] = [];
    const written: string[] = [];
    const { agent } = await open('v1', {
      readTextFile: ({ path }) => {
        read.push(path);
        return { content: `text of ${app.editor}` };
      },
      writeTextFile: ({ path }) => {
        written.push(path);
      },
    });
    const answer = await agent.request('fs/read_text_file', { sessionId: 's1', path: `${app.agent}/a.ts` });
    // The text of a file is not changed.
    expect(answer.result).toEqual({ content: `text of ${app.editor}` });
    await agent.request('fs/write_text_file', { sessionId: 's1', path: `${home.agent}/b.ts`, content: '' });
    await agent.request('fs/read_text_file', { sessionId: 's1', path: `${app.agent}/../../d/secret` });
    await agent.request('fs/read_text_file', { sessionId: 's1', path: `${app.agent}/..\\..\\secret` });
    expect(read).toEqual([
      `${app.editor}\\a.ts`,
      `${app.agent}/../../d/secret`,
      `${app.agent}/..\\..\\secret`,
    ]);
    expect(written).toEqual([`${home.editor}\\b.ts`]);
  });

  test('the paths in the error of a handler are those of the agent', async () => {
    const { agent } = await open('v1', {
      readTextFile: ({ path }) => {
        const message = `There is no file ${path}, see ${app.editor} or ${home.editor}.`;
        throw new RequestError(-32002, message, { path, folders: [app.editor], other: 7 });
      },
      writeTextFile: refuses(-32603, `No data, so ${app.editor} is text.`),
    });
    const read = await agent.request('fs/read_text_file', { sessionId: 's1', path: `${app.agent}/a(1).ts` });
    expect(read.error).toEqual({
      code: -32002,
      // The data does not have the last path.
      message: `There is no file ${app.agent}/a(1).ts, see ${app.agent} or ${home.editor}.`,
      data: { path: `${app.agent}/a(1).ts`, folders: [app.agent], other: 7 },
    });
    const file = { sessionId: 's1', path: `${app.agent}/a.ts`, content: '' };
    const written = await agent.request('fs/write_text_file', file);
    expect(written.error).toEqual({ code: -32603, message: `No data, so ${app.editor} is text.` });
  });

  test('a terminal runs in the folder of the editor, and its command line is not changed', async () => {
    const created: unknown[] = [];
    const { agent, session } = await open('v1', {
      terminals: {
        create: ({ command, args, cwd }) => {
          created.push({ command, args, cwd });
          return { terminalId: 't1' };
        },
        output: () => ({ output: '', truncated: false }),
        waitForExit: () => ({ exitCode: 0, signal: null }),
        kill() {},
        release() {},
      },
    });
    const command = { command: '/usr/bin/ls', args: [app.agent] };
    await agent.request('terminal/create', { sessionId: 's1', ...command, cwd: app.agent });
    expect(created).toEqual([{ ...command, cwd: app.editor }]);
    expect(session.conversation.terminals['t1']).toMatchObject({ cwd: app.editor });
  });
});

/** An update in the agent's form, and where the conversation has the path of the editor. */
const updates: readonly (readonly [what: string, DialectName, object, expected: object])[] = [
  [
    'a terminal in the metadata of a tool call of version 1',
    'v1',
    {
      ...toolCallUpdate({ content: [{ type: 'terminal', terminalId: 't1' }] }, 'c1'),
      _meta: { terminal_info: { terminal_id: 't1', cwd: app.agent } },
    },
    { terminals: { t1: { cwd: app.editor } } },
  ],
  [
    'a content block in place of content in version 1',
    'v1',
    toolCallUpdate({ content: [{ type: 'resource_link', name: 'a', uri: `file://${app.agent}/a.ts` }] }),
    {
      entries: [
        {
          content: [{ type: 'content', content: { type: 'resource_link', uri: 'file:///C:/work/app/a.ts' } }],
        },
      ],
    },
  ],
  [
    'a terminal of the agent in version 2',
    'v2-baseline',
    { sessionUpdate: 'terminal_update', terminalId: 't1', cwd: app.agent },
    { terminals: { t1: { cwd: app.editor } } },
  ],
  [
    'a diff as in an earlier draft of version 2',
    'v2-markers',
    toolCallUpdate({ content: [{ type: 'diff', path: `${app.agent}/a.ts`, oldText: 'a', newText: 'b' }] }),
    { entries: [{ content: [{ changes: [{ path: `${app.editor}\\a.ts` }] }] }] },
  ],
];

test.each(updates)('%s has the path of the editor', async (_, dialect, update, expected) => {
  const { agent, session } = await open(dialect);
  await deliver(agent, update);
  expect(session.conversation).toMatchObject(expected);
});
