import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ContentBlockInput } from '../../../src/core/model/content.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { transcriptOf } from '../../../src/records/recording/transcript-of.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { cwd, deliver, flush, openSession, sent } from '../../support/open-session.ts';

/** The rules of https://agentclientprotocol.com/rfds/agent-skills. */

const command = { type: 'command', name: 'test', description: 'Runs tests' };
const pdf = { type: 'skill', name: 'pdf', description: 'Reads documents', path: '/skills/pdf/SKILL.md' };
const invoke = (name: string) => ({ type: 'skill', name }) as const;
const go = { type: 'text', text: 'go' } as const;
const info = { name: 'scripted', version: '1' };

const open = (skill: JsonObject | undefined, availableCommands: readonly JsonObject[] = [command, pdf]) =>
  openSession('v2-baseline', {
    initialize: {
      protocolVersion: 2,
      info,
      capabilities: { session: { prompt: skill ? { skill } : {}, inject: { modes: ['steer'] } } },
    },
    opened: { availableCommands },
    answers: { 'session/prompt': noAnswer, 'session/inject': { messageId: 'u2' } },
  });

test('v2 skills are listed with the commands, each with its type', async () => {
  const odd = { type: 'workflow', name: 'odd', description: 'Kept', steps: 2 };
  const { conversation, diagnostics, agent } = await open({}, [command, pdf, odd]);
  expect(conversation().commands).toEqual([command, pdf, odd]);
  const relative = { ...pdf, path: 'skills/SKILL.md' };
  await deliver(agent, { sessionUpdate: 'available_commands_update', availableCommands: [relative] });
  const { path: _, ...without } = pdf;
  expect(conversation().commands).toEqual([without]);
  expect(diagnostics).toMatchObject([
    { rule: 'protocol.malformed_update', message: expect.stringContaining('must be an absolute path') },
  ]);
});

describe.each<
  readonly [
    what: string,
    blocks: readonly ContentBlockInput[],
    skill: JsonObject | undefined,
    refusal: JsonObject | null,
  ]
>([
  ['first, with the capability', [invoke('pdf'), go], {}, null],
  ['later, with the capability for it', [go, invoke('pdf'), invoke('pdf')], { inline: {} }, null],
  ['first, without the capability', [invoke('pdf')], undefined, { feature: 'session.prompt.skill' }],
  ['second', [invoke('pdf'), invoke('pdf')], {}, { feature: 'session.prompt.skill.inline' }],
  [
    'of an unknown name',
    [invoke('web')],
    {},
    { message: expect.stringContaining('skill must be one of "pdf"; got "web"') },
  ],
  ['that is a command', [invoke('test')], {}, { code: 'usage.params' }],
])('a skill %s', (_, blocks, skill, refusal) => {
  test.each(['prompt', 'queue', 'steer', 'request'] as const)('in %s', async (way) => {
    const { agent, connection, session, conversation } = await open(skill);
    if (way === 'steer') {
      session.prompt('first').catch(() => {});
      await flush(agent);
    }
    const before = sent(agent).length;
    const calls = {
      prompt: () => session.prompt(blocks).accepted,
      queue: () => session.queue(blocks).accepted,
      steer: () => session.steer(blocks),
      request: () => connection.request('session/prompt', { sessionId: 's1', prompt: [...blocks] as never }),
    };
    const call = calls[way]();
    if (refusal) await expect(call).rejects.toMatchObject(refusal);
    else call.catch(() => {});
    await flush(agent);
    expect(sent(agent)).toHaveLength(refusal ? before : before + 1);
    if (!refusal && way === 'prompt') expect(conversation().entries).toMatchObject([{ content: blocks }]);
  });
});

test('v2 a skill is no part of a system prompt', async () => {
  const { agent, connection } = await openSession('v2-baseline');
  const systemPrompt = { mode: 'append', content: [invoke('pdf')] } as const;
  await expect(connection.newSession({ cwd, systemPrompt })).rejects.toThrow(
    'systemPrompt.content.0.type must be',
  );
  expect(agent.calls('session/new')).toHaveLength(1);
});

test('v2 a skill is shown by its name', async () => {
  const { agent, session, conversation } = await open({});
  session.prompt([invoke('pdf'), go]).catch(() => {});
  await flush(agent);
  expect(transcriptOf(conversation())).toContain('[skill pdf]go');
  for (const render of [renderText, renderMarkdown, renderHtml]) {
    const text = render(conversation());
    expect(text).toContain('skill pdf');
    expect(text).not.toMatch(/"type"|&quot;type/);
  }
});

test('v2 a queued skill that the session no longer has is not sent', async () => {
  const { agent, session } = await open({});
  const first = session.prompt('first');
  first.catch(() => {});
  const queued = session.queue([invoke('pdf')]);
  await flush(agent);
  agent.answer(agent.calls('session/prompt')[0]?.id ?? '', { messageId: 'u1' });
  agent.update('s1', { sessionUpdate: 'available_commands_update', availableCommands: [command] });
  agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
  await expect(queued).rejects.toThrow('the session offers none; got "pdf"');
  expect(agent.calls('session/prompt')).toHaveLength(1);
});
