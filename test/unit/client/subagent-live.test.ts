import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { choosePermissionOption } from '../../../src/core/client/requests/choose-permission-option.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import { playback } from '../../../src/records/recording/playback.ts';
import { recordedStep } from '../../support/agent-recordings.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, messages } from '../../support/open-session.ts';

/** What an agent and its subagents said, by who said it. */
function said({ conversation, subagents }: Session) {
  const agent = messages(conversation).filter(({ role }) => role === 'agent');
  const isOwn = ({ meta }: (typeof agent)[number]) => meta?.['parentToolCallId'] === undefined;
  const texts = (list: typeof agent) => list.map(textOf).filter((text) => text !== '');
  return {
    main: texts(agent.filter(isOwn)),
    subagent: [
      ...texts(agent.filter((message) => !isOwn(message))),
      ...subagents.flatMap((one) => texts(messages(one.conversation).filter(({ role }) => role === 'agent'))),
    ],
  };
}

const mainWords = ['I shall use a tool.', 'The subagent has worked.'];
const subagentWords = ['I shall use a tool.', 'The tool has answered.'];

/** Plays the recorded step, as the suite of real agents did it. */
async function play(name: string, step: string) {
  return connect(playback(recordedStep(name, step)), {
    clientInfo: { name: 'test', version: '0' },
    onDiagnostic() {},
    handlers: {
      requestPermission: ({ options }) =>
        choosePermissionOption(options, 'allow_once') ?? { outcome: 'cancelled' },
      readTextFile: () => ({ content: '# A small project\n' }),
      writeTextFile() {},
    },
  });
}

async function live(name: string) {
  const connection = await play(name, 'subagent');
  const session = await connection.newSession({ cwd });
  await session.prompt('Let a subagent work.');
  await eventually(() => said(session).main).toEqual(
    expect.arrayContaining([expect.stringContaining('worked')]),
  );
  const spoken = said(session);
  await connection.close();
  return { spoken, sessionId: session.sessionId };
}

async function replayed(name: string, sessionId: string) {
  const connection = await play(name, 'subagent-loaded');
  const session = await connection.loadSession({ sessionId, cwd });
  await eventually(() => said(session).main).not.toEqual([]);
  const spoken = said(session);
  await connection.close();
  return spoken;
}

/** What each agent sends of its subagent in the history. */
test.each([
  ['claude-v1', subagentWords],
  ['claude-v2', subagentWords],
  // These two send the answer only.
  ['grok-v1', []],
  ['qwen-v1', []],
])('%s: the words of a subagent are its own, live and as far as the history has them', async (name, kept) => {
  const { spoken, sessionId } = await live(name);
  expect(spoken).toEqual({ main: mainWords, subagent: subagentWords });
  expect(await replayed(name, sessionId)).toEqual({ main: mainWords, subagent: kept });
});

test('copilot-v1: the agent does not mark the words of its subagent, live and in the history', async () => {
  const { spoken, sessionId } = await live('copilot-v1');
  const main = [
    'I shall use a tool.',
    'I shall use a tool.',
    'The tool has answered.The subagent has worked.',
  ];
  expect(spoken).toEqual({ main, subagent: [] });
  expect(await replayed('copilot-v1', sessionId)).toEqual(spoken);
});
