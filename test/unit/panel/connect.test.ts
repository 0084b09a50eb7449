import { expect, onTestFinished, test, vi } from 'vitest';
import { connectPanel, type Panel } from '../../../src/ui/panel/connect.ts';
import { pageTarget } from '../../support/page-target.ts';

const place = { kind: 'diff', entryKey: 'e1', index: 0 } as const;
const content = [{ type: 'text', text: 'Hi' }] as const;

/** Each action, with what the host is asked for. */
const actions: readonly (readonly [
  action: string,
  act: (panel: Panel) => Promise<unknown>,
  params: object,
])[] = [
  ['newSession', (panel) => panel.newSession(), {}],
  ['openSession', (panel) => panel.openSession('s2'), { sessionId: 's2' }],
  ['deleteSession', (panel) => panel.deleteSession('s2'), { sessionId: 's2' }],
  ['closeSession', (panel) => panel.closeSession('s2'), { sessionId: 's2' }],
  ['searchTranscripts', (panel) => panel.searchTranscripts('tea'), { text: 'tea' }],
  ['exportTranscript', (panel) => panel.exportTranscript('s2', 'html'), { sessionId: 's2', format: 'html' }],
  ['refreshSessions', (panel) => panel.refreshSessions(), {}],
  ['prompt', (panel) => panel.prompt('Hi'), { content: 'Hi' }],
  ['steer', (panel) => panel.steer('Hi'), { content: 'Hi' }],
  ['queue', (panel) => panel.queue(content), { content }],
  ['revoke', (panel) => panel.revoke('m1'), { id: 'm1' }],
  ['cancel', (panel) => panel.cancel(), {}],
  ['changeSetting', (panel) => panel.changeSetting('fast', true), { settingId: 'fast', value: true }],
  [
    'answer',
    (panel) => panel.answer('q1', { optionId: 'yes' }),
    { questionId: 'q1', answer: { optionId: 'yes' } },
  ],
  ['login', (panel) => panel.login('key'), { methodId: 'key' }],
  ['cancelLogin', (panel) => panel.cancelLogin(), {}],
  ['logout', (panel) => panel.logout(), {}],
  ['restart', (panel) => panel.restart(), {}],
  ['stop', (panel) => panel.stop(), {}],
  ['chooseAgent', (panel) => panel.chooseAgent(null), { agentId: null }],
  ['refreshAgents', (panel) => panel.refreshAgents(), {}],
  ['retryNow', (panel) => panel.retryNow(), {}],
  ['dismissProblem', (panel) => panel.dismissProblem(), {}],
  ['openLocation', (panel) => panel.openLocation(place), { place }],
  ['openDiff', (panel) => panel.openDiff(place), { place }],
  ['openLink', (panel) => panel.openLink('https://a.example'), { url: 'https://a.example' }],
  ['chooseAttachments', (panel) => panel.chooseAttachments(), {}],
  ['insertText', (panel) => panel.insertText('x'), { text: 'x' }],
  ['openFolder', (panel) => panel.openFolder(), {}],
  ['manageTrust', (panel) => panel.manageTrust(), {}],
  ['showLog', (panel) => panel.showLog(), {}],
];

test.each(actions)('%s asks the host for it', (action, act, params) => {
  const { panel, deliver, state, posted } = pageTarget();
  deliver(state());
  void act(panel);
  expect(posted.at(-1)).toMatchObject({ type: 'call', number: 1, action });
  expect(posted.at(-1)?.['params']).toStrictEqual(params);
});

test.each<readonly [action: string, act: (panel: Panel) => Promise<unknown>, value: unknown, read: unknown]>([
  ['prompt', (panel) => panel.prompt('Hi'), { stopReason: 'end_turn' }, { stopReason: 'end_turn' }],
  ['steer', (panel) => panel.steer('Hi'), { outcome: 'injected' }, { outcome: 'injected' }],
  ['revoke', (panel) => panel.revoke('m1'), { revoked: true }, true],
  ['exportTranscript', (panel) => panel.exportTranscript('s1', 'text'), { text: 'Hi' }, 'Hi'],
  [
    'searchTranscripts',
    (panel) => panel.searchTranscripts('x'),
    { hits: [1], isComplete: false },
    { hits: [1], isComplete: false },
  ],
  ['cancel', (panel) => panel.cancel(), { more: 'than nothing' }, undefined],
  ['chooseAttachments', (panel) => panel.chooseAttachments(), content, content],
])('the result of %s is read: %#', async (_, act, value, read) => {
  const { panel, deliver, state, change } = pageTarget();
  deliver(state());
  const result = act(panel);
  deliver(change({ results: [{ number: 1, value, error: null }] }));
  await expect(result).resolves.toEqual(read);
});

test('without onError the error of a listener is printed, and a message that is lost is not', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  const failure = new Error('No room.');
  const panel = connectPanel({
    post() {
      throw new Error('The port is closed.');
    },
    listen: () => () => {},
  });
  onTestFinished(() => panel.close());
  panel.subscribe(() => {
    throw failure;
  });
  panel.setDraft('a');
  expect(print.mock.calls).toEqual([['A listener of the panel failed:', failure]]);
});
