import { describe, expect, test } from 'vitest';
import { everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, sentSinceInitialize } from '../support/open-session.ts';

/** The page of both versions: https://agentclientprotocol.com/protocol/v1/session-setup#system-prompt */

const text = { type: 'text', text: 'Be brief.' } as const;
const append = { mode: 'append', content: [text] } as const;
const override = { mode: 'override', content: [text] } as const;

/** An agent that has no system prompt, one that takes an addition, and one that takes both. */
const versions = [
  {
    dialect: 'v1',
    without: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: {} } },
    adding: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } },
    rich: everything.v1,
  },
  {
    dialect: 'v2-baseline',
    without: {
      protocolVersion: 2,
      info: { name: 'scripted', version: '1' },
      capabilities: { session: { systemPrompt: null } },
    },
    adding: {
      protocolVersion: 2,
      info: { name: 'scripted', version: '1' },
      capabilities: { session: { systemPrompt: { mode: {} } } },
    },
    rich: everything['v2-baseline'],
  },
];

describe.each(versions)('the system prompt of the client, in $dialect', ({ without, adding, rich }) => {
  const connectTo = (initialize: object) =>
    connectFlushable(initialize as typeof rich, {
      answers: {
        'session/new': { sessionId: 's1' },
        'session/load': {},
        'session/resume': {},
        'session/fork': { sessionId: 's2' },
      },
    });

  test('[80] v1, v2 needs its capability, and one more to replace the prompt of the agent', async () => {
    for (const [initialize, systemPrompt, feature] of [
      [without, append, 'session.systemPrompt'],
      [without, override, 'session.systemPrompt'],
      [adding, override, 'session.systemPrompt.override'],
    ] as const) {
      const { agent, connection } = await connectTo(initialize);
      const error = await connection.newSession({ cwd, systemPrompt }).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'usage.capability' });
      const { missing } = error as { missing: readonly { feature: string }[] };
      expect(missing.map((each) => each.feature)).toContain(feature);
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    }
    const { agent, connection } = await connectTo(adding);
    await connection.newSession({ cwd, systemPrompt: append });
    expect(sentSinceInitialize(agent)).toMatchObject([{ params: { systemPrompt: append } }]);
  });

  test('[80] v1, v2 is sent with each call that opens a session', async () => {
    const { agent, connection } = await connectTo(rich);
    await connection.newSession({ cwd, systemPrompt: override });
    await connection.loadSession({ sessionId: 's3', cwd, systemPrompt: append });
    await connection.resumeSession({ sessionId: 's4', cwd, systemPrompt: append });
    await connection.forkSession({ sessionId: 's1', cwd, systemPrompt: append });
    const sent = sentSinceInitialize(agent).map(({ params }) => params?.['systemPrompt']);
    expect(sent).toEqual([override, append, append, append]);
  });

  test('[80] v1, v2 is refused if it is empty', async () => {
    const { agent, connection } = await connectTo(rich);
    const systemPrompt = { mode: 'append', content: [] } as const;
    await expect(connection.newSession({ cwd, systemPrompt })).rejects.toMatchObject({
      code: 'usage.params',
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  });
});
