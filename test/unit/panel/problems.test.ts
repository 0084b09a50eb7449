import { describe, expect, test } from 'vitest';
import {
  AuthRequiredError,
  ConnectionClosedError,
  ConnectionStateError,
  HttpError,
  RemoteError,
} from '../../../src/core/base/errors.ts';
import { endReport } from '../../../src/ui/panel/connection.ts';
import { problemForLog, problemOf, problemOfStart } from '../../../src/ui/panel/problems.ts';
import type { PanelProblem } from '../../../src/ui/panel/state.ts';

const withField = (message: string, field: object) => Object.assign(new Error(message), field);
const remote = (agentMessage: string) =>
  new RemoteError('session/new: The agent answered.', { rpcCode: -32603, agentMessage });
const http = new HttpError('The server refused it.', { status: 500, body: 'no' });
const login = new AuthRequiredError('Log in.', { rpcCode: -32000 });
const noMore = 'The agent answered with an error, and said no more.';

describe('a problem', () => {
  test.each<readonly [what: string, error: unknown, problem: Partial<PanelProblem>]>([
    ['has the first line', new Error('One.\n\n two \n'), { message: 'One.', detail: 'two', remedy: null }],
    [
      'announces no detail, which is shown apart',
      new Error('It exited. The end of its stderr:\nNo.'),
      { message: 'It exited.', detail: 'No.' },
    ],
    [
      'has the end of what is long: the newest output of a program',
      new Error(`It failed.\n${'x'.repeat(9000)}\nThe disk is full.`),
      { message: 'It failed.', detail: `${'x'.repeat(7982)}\nThe disk is full.` },
    ],
    ['has a message', new Error(''), { message: 'The action failed.', detail: null, code: 'panel.failed' }],
    ['names no call of ours', new ConnectionStateError('connect: It ended.'), { message: 'It ended.' }],
    [
      'keeps other colons',
      new ConnectionStateError('The file: it is gone.'),
      { message: 'The file: it is gone.' },
    ],
    ['is as an editor says it', new Error('open: It is gone.'), { message: 'open: It is gone.' }],
    [
      'is as the agent says it',
      remote('It is full.\nAll of it.'),
      { message: 'It is full.', detail: 'All of it.' },
    ],
    ['is a sentence', remote(' \n'), { message: noMore }],
    ['is ours for an answer of a server', http, { message: 'The server refused it.' }],
    ['is not what looks like an answer', withField('Ours.', { agentMessage: 'No.' }), { message: 'Ours.' }],
    ['offers a folder', withField('No folder.', { remedy: 'openFolder' }), { remedy: 'openFolder' }],
    ['offers trust', withField('No trust.', { remedy: 'manageTrust' }), { remedy: 'manageTrust' }],
    ['offers nothing else', withField('No.', { remedy: 'restart' }), { remedy: null }],
    ['offers a login', login, { remedy: 'login' }],
  ])('%s', (_, error, problem) => {
    expect(problemOf(error)).toMatchObject(problem);
  });

  test.each<readonly [what: string, error: unknown, remedy: PanelProblem['remedy']]>([
    ['can be tried again', new Error('No.'), 'restart'],
    ['can be tried again after a login, which needs an agent', login, 'restart'],
    ['needs a folder first', withField('No folder.', { remedy: 'openFolder' }), 'openFolder'],
  ])('of a start %s', (_, error, remedy) => {
    expect(problemOfStart(error).remedy).toBe(remedy);
  });

  test('in the log says what the agent answered to which call', () => {
    const first = 'session/new: The agent answered.';
    expect(problemForLog(remote('It is full.'))).toMatchObject({ message: 'It is full.', detail: first });
    expect(problemForLog(remote('It is full.\nAll.')).detail).toBe(`${first}\nAll.`);
    expect(problemForLog(new Error('No.'))).toEqual(problemOf(new Error('No.')));
  });
});

const exit = { exitCode: 3, signal: null, stderrTail: '' };
const named = { name: 'agent', title: null, version: '1' };

test.each([
  [{ exit }, null, 'The agent exited with code 3.', null],
  [{ exit }, named, 'agent exited with code 3.', null],
  [{ exit }, { ...named, title: 'The Title' }, 'The Title exited with code 3.', null],
  [{ exit: { ...exit, stderrTail: 'why\n' } }, named, 'agent exited with code 3.', 'why'],
  [{}, { ...named, title: 'The Title' }, 'The Title closed the connection.', null],
  [{ error: new ConnectionClosedError('Cut off.\nmore') }, named, 'Cut off.', null],
] as const)('the end %j of the agent %j is shown to the user', (end, agent, reason, detail) => {
  const code = 'exit' in end ? 'agent.exit' : 'connection.closed';
  expect(endReport(end, agent)).toEqual({ reason, detail, code });
});
