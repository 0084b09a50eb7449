import { expect, test } from 'vitest';
import { codex } from '../../../src/agents/codex.ts';
import { text } from '../../support/agents.ts';
import { openSession } from '../../support/open-session.ts';

const [png, jpeg] = ['iVBORw0KGgo=', '/9j/4AAQ'];
const picture = (mimeType: string, data = '') => ({ type: 'image', mimeType, data });
const link = (mimeType: string, data = '') => `[@image](data:${mimeType};base64,${data})`;

test.each([
  ['Look.', [text('Look.')]],
  ['', []],
  [`Look.${link('image/png', png)}`, [text('Look.'), picture('image/png', png)]],
  [
    `${link('image/png', png)}${link('image/jpeg', jpeg)} And?`,
    [picture('image/png', png), picture('image/jpeg', jpeg), text(' And?')],
  ],
  ['A [@image](https://example.com/a.png).', [text('A [@image](https://example.com/a.png).')]],
])('the text %j of a message has these blocks', (said, blocks) => {
  expect(codex.blocksOfText?.(said)).toEqual(blocks);
});

test.each(['v1', 'v2-baseline'] as const)(
  'a picture of a prompt is one after a load, in %s',
  async (dialect) => {
    const content = text(`Look.${link('image/png', png)}`);
    const replayed = { sessionUpdate: 'user_message_chunk', messageId: 'u1', content };
    const info = { name: codex.names[0] ?? '', version: '2.6.0' };
    const { connection } = await openSession(dialect, {
      initialize: {
        ...(dialect === 'v1'
          ? { protocolVersion: 1, agentInfo: info, agentCapabilities: { loadSession: true } }
          : { protocolVersion: 2, info, capabilities: { session: {} } }),
      },
      script: (agent) =>
        agent.on(dialect === 'v1' ? 'session/load' : 'session/resume', () => {
          agent.update('old', replayed);
          return {};
        }),
    });
    const { conversation } = await connection.loadSession({ sessionId: 'old', cwd: process.cwd() });
    expect(conversation.entries).toMatchObject([
      { role: 'user', content: [text('Look.'), picture('image/png', png)] },
    ]);
  },
);
