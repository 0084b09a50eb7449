import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { connect } from '../../../src/client/connect.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { foldTraffic } from '../../../src/recording/fold-traffic.ts';
import { playback } from '../../../src/recording/playback.ts';
import { recordTraffic } from '../../../src/recording/record-traffic.ts';
import { dialectNames, everything, settle } from '../../support/agents.ts';
import { connectHttp } from '../../support/raw-acp-connection.ts';
import { answerTo, type RawServer, rawServer } from '../../support/raw-acp-server.ts';
import { cwd, says, toolCall } from '../../support/recorded-session.ts';

const update = (change: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's1', update: change },
});

/** What the agent does when the first prompt has come, and its session is at work. */
type Fault = (server: RawServer, message: JsonObject) => unknown;

/** An agent behind a server, in whose first turn something breaks. */
function faultyServer(dialect: DialectName, fault: Fault): Promise<RawServer> {
  let prompts = 0;
  return rawServer({
    agent: {
      initialize: () => everything[dialect],
      'session/prompt': (message, server) => {
        const turn = ++prompts;
        void (async () => {
          if (dialect !== 'v1') {
            await server.send(answerTo(message, { messageId: `u${turn}` }), 's1');
            await server.send(update({ sessionUpdate: 'state_update', state: 'running' }), 's1');
          }
          await server.send(update({ ...says(`Turn ${turn}.`), messageId: `m${turn}` }), 's1');
          if (turn === 1) {
            await server.send(update(toolCall(dialect)), 's1');
            await fault(server, message);
          } else if (dialect === 'v1') await server.send(answerTo(message, { stopReason: 'end_turn' }), 's1');
          else {
            const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' };
            await server.send(update(idle), 's1');
          }
        })();
        return undefined;
      },
    },
  });
}

const faults: Readonly<Record<string, Fault>> = {
  'the stream of the session ends': ({ stream }) => stream('s1')?.end(),
  'the stream of the connection ends': ({ stream }) => stream()?.end(),
};

describe.each(dialectNames)('the recording of a remote agent (%s)', (dialect) => {
  test.each(Object.entries(faults))(
    'folds to the conversation of the client, where %s and the session continues',
    async (_fault, fault) => {
      const server = await faultyServer(dialect, fault);
      const recording = recordTraffic();
      const { connection } = await connectHttp(
        server.url,
        {},
        { trace: recording, reconnect: { firstDelayMs: 1 }, protocolVersions: [1, 2] },
      );
      const session = await connection.newSession({ cwd });
      await expect(session.prompt('Delete it.')).rejects.toMatchObject({ code: 'connection.closed' });
      await server.came('POST session/resume');
      await connection.ready;
      await settle();
      const folded = async () => (await foldTraffic(recording.toString())).sessions[0]?.conversation;
      expect(session.conversation.entries.at(-1)).toMatchObject({
        kind: 'turnFailure',
        cause: 'interrupted',
      });
      expect(await folded()).toEqual(session.store.getSnapshot());
      expect((await session.prompt('Go on.')).stopReason).toBe('end_turn');
      await settle();
      const gaps = session.conversation.entries.filter(({ kind }) => kind === 'turnFailure');
      expect(gaps).toHaveLength(1);
      expect(await folded()).toEqual(session.store.getSnapshot());
    },
  );

  test('folds and plays to the same end, where the session is lost for good', async () => {
    const server = await faultyServer(dialect, ({ stream }) => stream('s1')?.end());
    const recording = recordTraffic();
    const { connection } = await connectHttp(server.url, {}, { trace: recording, protocolVersions: [1, 2] });
    const session = await connection.newSession({ cwd });
    const failure: unknown = await session.prompt('Delete it.').catch((reason: unknown) => reason);
    expect(await session.closed).toMatchObject({ reason: 'lost' });
    const { sessions } = await foldTraffic(recording.toString());
    expect(sessions[0]?.conversation).toEqual(session.store.getSnapshot());
    const again = await connect(playback(recording.records), {
      clientInfo: { name: 'test', version: '0.0.0' },
      onDiagnostic: () => {},
    });
    const played = await again.newSession({ cwd });
    expect(await played.prompt('Delete it.').catch((reason: unknown) => reason)).toEqual(failure);
    expect(played.conversation).toEqual(session.conversation);
    await again.close();
  });
});
