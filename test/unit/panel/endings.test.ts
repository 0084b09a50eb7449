import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectPanel } from '../../../src/ui/panel/connect.ts';
import { refuses, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import {
  askPermission,
  channelPair,
  cwd,
  hurryTime,
  pageThatOpens,
  panelPair,
  startedHost,
  until,
} from '../../support/panel-pair.ts';

test.each(['an end', 'a restart'])('a session that is gone after %s can be read', async (how) => {
  const refuse = refuses(-32002, 'That session is gone.');
  let sessions = [{ sessionId: 's1', cwd }];
  const list = () => ({ sessions });
  const { panel, agents } = await panelPair({
    answers: { 'session/resume': refuse, 'session/load': refuse, 'session/list': list },
  });
  await panel.newSession();
  const { conversation } = panel.getSnapshot();
  sessions = [];
  if (how === 'an end') agents[0]?.channel.exit({ exitCode: 1 });
  else await panel.restart();
  const read = await until(panel, ({ phase, readOnly }) => phase === 'open' && readOnly !== null);
  expect(read.problem?.message).toContain('That session is gone.');
  const readOnly = 'The agent no longer has it open. A new session begins empty.';
  expect(read).toMatchObject({ sessionId: 's1', readOnly, conversation });
  await eventually(() => panel.getSnapshot().sessions).toEqual([]);
  await expect(panel.prompt('Go on')).rejects.toMatchObject({ code: 'panel.read_only' });
  expect(panel.getSnapshot().draft).toBe('Go on');
  await panel.newSession();
  expect(panel.getSnapshot()).toMatchObject({ readOnly: null, problem: null });
});

test('the user does not read that a session could not be opened again which is not shown', async () => {
  const refuse = ({ sessionId }: JsonObject) => {
    if (sessionId === 's1') throw new RequestError(-32002, 'That session is gone.');
    return {};
  };
  const { panel, agents } = await panelPair({
    answers: { 'session/resume': refuse, 'session/load': refuse },
  });
  await panel.newSession();
  await panel.newSession();
  agents[0]?.channel.exit({ exitCode: 1 });
  await until(panel, ({ phase, problem }) => phase === 'open' && problem !== null);
  await settle();
  expect(agents[1]?.calls('session/resume').map(({ params }) => params?.['sessionId'])).toContain('s1');
  expect(panel.getSnapshot().problem?.message).toContain('The agent was started again.');
});

test('the result of a call of the page before settles no call of the page after', async () => {
  const { channel, panel, agent } = await panelPair({ answers: { 'session/prompt': noAnswer } });
  panel.prompt('First.').catch(() => {});
  const { id: first = '' } = await agent().called('session/prompt');
  panel.close();
  const after = connectPanel(channel.page);
  onTestFinished(() => after.close());
  // The first call of its page, as the prompt was.
  const second = after.queue('Second.');
  await until(after, ({ conversation }) => conversation?.pendingMessages?.length === 1);
  agent().answer(first, { stopReason: 'max_tokens' });
  const { id = '' } = await agent().called('session/prompt', 2);
  agent().answer(id, { stopReason: 'end_turn' });
  expect(await second).toMatchObject({ stopReason: 'end_turn' });
});

test('as many pages as the limit says are served, and no more', async () => {
  const { served: host, problems } = await startedHost({ options: { limits: { pages: 2 } } });
  host.attach(channelPair().host);
  host.attach(channelPair().host);
  expect(problems).toEqual([]);
  host.attach(channelPair().host);
  expect(problems.map(({ code }) => code)).toEqual(['panel.pages']);
});

test('[security: linear-time] each question is sent to a page once, however many are open', async () => {
  const title = 'x'.repeat(2000);
  const { panel, channel, agent } = await panelPair();
  await panel.newSession();
  channel.fromHost.length = 0;
  const count = 40;
  for (let index = 1; index <= count; index++) {
    askPermission(agent(), `${title}${index}`).catch(() => {});
    await until(panel, ({ questions }) => questions.length === index);
  }
  expect(panel.getSnapshot().questions).toHaveLength(count);
  const posted = channel.fromHost.filter((message) => Boolean(message['state']));
  const sent = JSON.stringify(posted.map(({ state }) => Reflect.get(Object(state), 'questions')));
  expect(sent.split(`"title":"${title}`)).toHaveLength(count + 1);
});

test('a page that was connected between the ends of its channels waits as short as the first time', async () => {
  const { served } = await startedHost();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { panel, end, opened } = pageThatOpens(() => served);
  // The clock stands, and with it the frames in which listeners are called.
  const turnsTo = async (phase: string) => {
    while (panel.getSnapshot().phase !== phase) await new Promise(setImmediate);
  };
  for (let count = 1; count <= 6; count++) {
    await turnsTo('open');
    expect(opened()).toBe(count);
    end();
    await turnsTo('disconnected');
    await vi.advanceTimersByTimeAsync(250);
  }
});

test('an action that was chosen while the host was away waits through the attempts that fail', async () => {
  const { served } = await startedHost();
  let isAway = false;
  const { panel, end, opened } = pageThatOpens(() => (isAway ? undefined : served));
  await until(panel, ({ phase }) => phase === 'open');
  isAway = true;
  hurryTime();
  end();
  await until(panel, ({ phase }) => phase === 'disconnected');
  const created = panel.newSession();
  await eventually(opened).toBeGreaterThan(2);
  isAway = false;
  await created;
  expect(panel.getSnapshot().sessionId).toBe('s1');
});

test('an action rejects if the only channel cannot be opened', async () => {
  const errors: unknown[] = [];
  const closed = new Error('The port is closed.');
  const channel = {
    post() {},
    listen() {
      throw closed;
    },
  };
  const panel = connectPanel(channel, { onError: (error) => errors.push(error) });
  onTestFinished(() => panel.close());
  expect(errors).toEqual([closed]);
  await expect(panel.newSession()).rejects.toMatchObject({ code: 'panel.disconnected' });
});

test('a prompt after the end of the host is the draft again', async () => {
  const { served, panel } = await panelPair();
  await served.close();
  await until(panel, ({ phase }) => phase === 'closed');
  hurryTime();
  panel.setDraft('Go on');
  await expect(panel.prompt('Go on')).rejects.toMatchObject({ code: 'panel.disconnected' });
  expect(panel.getSnapshot().draft).toBe('Go on');
});
