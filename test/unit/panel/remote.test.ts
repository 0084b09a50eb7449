import { expect, test } from 'vitest';
import { streamableHttpTransport } from '../../../src/client/remote.ts';
import type { PanelState } from '../../../src/panel/state.ts';
import { outline } from '../../support/open-session.ts';
import { panelPair, until } from '../../support/panel-pair.ts';
import { answerTo, chunk, rawServer } from '../../support/raw-acp-server.ts';

const lines = ({ conversation }: PanelState) => conversation && outline(conversation);

test('a panel shows an agent behind a server, its questions, and a session that was lost and continues', async () => {
  let prompts = 0;
  const server = await rawServer({
    agent: {
      'session/prompt': (message, { send, stream, came }) => {
        const turn = ++prompts;
        void (async () => {
          await send(chunk('s1', `Turn ${turn}.`), 's1');
          if (turn === 1) return stream('s1')?.end();
          const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
          const toolCall = { toolCallId: 't1', title: 'Delete it' };
          const params = { sessionId: 's1', toolCall, options };
          await send({ jsonrpc: '2.0', id: 'ask', method: 'session/request_permission', params }, 's1');
          await came('POST');
          return send(answerTo(message, { stopReason: 'end_turn' }), 's1');
        })();
        return undefined;
      },
    },
  });
  const { panel } = await panelPair({
    options: {
      agent: () => streamableHttpTransport(server.url),
      connect: {
        clientInfo: { name: 'test', version: '0.0.0' },
        reconnect: { firstDelayMs: 1 },
        onDiagnostic: () => {},
      },
    },
  });
  await expect(panel.prompt('work')).rejects.toMatchObject({ code: 'connection.closed' });
  await server.came('POST session/resume');
  const broken = await until(
    panel,
    ({ phase, conversation }) => phase === 'open' && conversation?.entries.length === 3,
  );
  expect(broken.conversation?.entries.at(-1)).toMatchObject({ kind: 'turnFailure', cause: 'interrupted' });
  const turn = panel.prompt('go on');
  const { questions } = await until(panel, (state) => state.questions.length === 1);
  const [question] = questions;
  expect(question).toMatchObject({ kind: 'permission' });
  await panel.answer(question?.id ?? '', { optionId: 'yes' });
  await turn;
  expect(lines(panel.getSnapshot())?.slice(3, 5)).toEqual(['user: go on', 'agent: Turn 2.']);
  expect(server.requests.find(({ kind }) => kind === 'POST')?.message).toMatchObject({
    result: { outcome: { outcome: 'selected', optionId: 'yes' } },
  });
});
