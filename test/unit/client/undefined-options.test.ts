import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

/** The turns end with the connection. */
const script = (agent: ScriptedAgent) => agent.on('session/prompt', () => noAnswer);

describe.each(dialectNames)('options that are undefined, in %s', (dialect) => {
  test('are sent as options that are omitted', async () => {
    const { agent, connection, session } = await openSession(dialect, { script });
    agent.on('session/list', { sessions: [] });
    const server = { name: 'a', command: '/a' };
    await connection.newSession({ cwd, mcpServers: [server] });
    await connection.newSession(
      {
        cwd,
        mcpServers: [{ ...server, type: undefined, args: undefined, env: undefined, _meta: undefined }],
        additionalDirectories: undefined,
        systemPrompt: undefined,
        _meta: undefined,
      },
      { signal: undefined, timeoutMs: undefined, allowUnsupported: undefined, meta: undefined },
    );
    await connection.listSessions();
    await connection.listSessions({
      cwd: undefined,
      cursor: undefined,
      archived: undefined,
      _meta: undefined,
    });
    const image = { type: 'image', data: 'QUFB', mimeType: 'image/png' } as const;
    session.prompt([image]).catch(() => {});
    session
      .prompt([{ ...image, uri: undefined, annotations: undefined, _meta: undefined }], {
        meta: undefined,
      })
      .catch(() => {});
    await agent.called('session/prompt', 2);

    for (const method of ['session/new', 'session/list', 'session/prompt']) {
      const [omitted, given] = agent.calls(method).slice(-2);
      expect(given?.params).toEqual(omitted?.params);
    }
    await connection.close();
  });

  test('differ from null, which is sent', async () => {
    const { agent, connection, session } = await openSession(dialect, { script });
    session
      .prompt([{ type: 'image', data: 'QUFB', mimeType: 'image/png', uri: null, annotations: null }])
      .catch(() => {});
    const sent = await agent.called('session/prompt');
    expect(sent.params?.['prompt']).toEqual([
      { type: 'image', data: 'QUFB', mimeType: 'image/png', uri: null, annotations: null },
    ]);
    await connection.close();
  });

  test('are sent to connect as options that are omitted', async () => {
    const clientInfo = { name: 'test', version: '0' };
    const sent = [];
    for (const options of [
      { clientInfo },
      {
        clientInfo,
        meta: undefined,
        clientCapabilities: { _meta: undefined },
        handlers: { requestPermission: undefined, terminals: undefined, elicit: { form: undefined } },
        protocolVersions: undefined,
        terminalLogin: undefined,
        reconnect: undefined,
        signal: undefined,
        trace: undefined,
      },
    ]) {
      const agent = scriptedAgent().on('initialize', everything[dialect]);
      const connection = await connect(agent.transport, options);
      sent.push(agent.calls('initialize')[0]?.params);
      await connection.close();
    }
    expect(sent[1]).toEqual(sent[0]);
  });
});
