import { expect } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { PanelEditor } from '../../src/ui/panel/options.ts';
import type { ServedPanel } from '../../src/ui/panel/serve.ts';
import { settle, text } from './agents.ts';
import { askPermission, configOptions, cwd, elicit, type PanelSetup, startedHost } from './panel-pair.ts';
import { RawPage } from './raw-page.ts';

const words =
  'See [up](../secret.txt), [etc](file:///etc/passwd), [share](\\\\server\\share\\x), https://example.com/x and javascript:alert(1).';

const requestedSchema = {
  type: 'object',
  properties: { color: { type: 'string', enum: ['red', 'blue'] } },
  required: ['color'],
};

/** A host that is attacked. */
export interface Target {
  readonly served: ServedPanel;
  readonly page: RawPage;
  readonly agent: ScriptedAgent;
  /** What the editor was asked to open. */
  readonly opened: unknown[];
  /** The ids of the open questions, by their kind. */
  readonly questions: Readonly<Record<string, string>>;
  /** The keys of the entries, by their kind. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A host with a session that runs a turn, with an open permission request and an open form. */
export async function target(): Promise<Target> {
  const opened: unknown[] = [];
  const open = (what: unknown) => void opened.push(what);
  const editor: PanelEditor = { openLocation: open, openDiff: open, openLink: open };
  const page = new RawPage();
  const setup: PanelSetup = {
    script: (agent) =>
      agent
        .on('session/list', {
          sessions: [
            { sessionId: 'listed', cwd },
            { sessionId: 'foreign', cwd: '/home/other' },
          ],
        })
        .on('session/new', { sessionId: 's1', configOptions })
        .on('session/prompt', () => {
          agent.update('s1', { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text(words) });
          agent.update('s1', {
            sessionUpdate: 'tool_call',
            toolCallId: 't1',
            title: 'Edit',
            locations: [{ path: `${cwd}/a.ts`, line: 3 }, { path: '\\\\server\\share\\b' }],
          });
          void askPermission(agent, 't1');
          void elicit(agent, { requestedSchema });
          return noAnswer;
        }),
    options: { editor, limits: { messageCharacters: 100_000, openCalls: 4 } },
  };
  const { served, agents } = await startedHost(setup, page.channel);
  page.hello();
  page.open('prompt', { content: 'Go.' });
  while (served.state.questions.length < 2) await new Promise(setImmediate);
  await settle();
  const [agent] = agents;
  if (!agent) throw new Error('no agent was started');
  const { questions = [], conversation } = served.state;
  return {
    served,
    page,
    agent,
    opened,
    questions: Object.fromEntries(questions.map(({ kind, id }) => [kind, id])),
    keys: Object.fromEntries((conversation?.entries ?? []).map(({ kind, key }) => [kind, key])),
  };
}

/** Checks that no attack had an effect: nothing was sent or opened, the state is the same, and the host still works. */
export async function withoutEffect(
  { served, page, agent, opened, questions }: Target,
  attacks: readonly (readonly [name: string, attack: () => unknown])[],
): Promise<void> {
  const before = { state: served.state, received: agent.received.length };
  for (const [name, attack] of attacks) {
    await attack();
    await settle();
    expect(agent.received.slice(before.received), name).toEqual([]);
    expect(opened, name).toEqual([]);
    // A link out of the workspace is a problem that the user can see.
    expect({ ...served.state, problem: null }, name).toEqual({ ...before.state, problem: null });
  }
  expect(page.listenerCount).toBe(1);
  expect(Object.prototype).not.toHaveProperty('polluted');
  expect(await page.call('dismissProblem')).toMatchObject({ error: null });
  const answer = { questionId: questions['permission'], answer: { optionId: 'yes' } };
  expect(await page.call('answer', answer)).toMatchObject({ error: null });
  await settle();
  expect(agent.received.at(-1)?.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
}
