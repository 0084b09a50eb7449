import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import type { ProgramWire } from '../../support/transports/stdio.ts';
import { scriptedAgentOn } from '../../support/transports/wire.ts';
import { faults, type Point, type Row } from './faults.ts';

type Id = string | number;

/**
 * Lets a program be an agent that does one thing wrong, at one point.
 *
 * @returns a promise that resolves when it has done it.
 */
export function playFault(wire: ProgramWire, { name, point, dialect }: Row): Promise<void> {
  const fault = faults[name];
  const isV1 = dialect === 'v1';
  const failed = deferred();
  const agent = scriptedAgentOn(wire);
  /** What is answered once it was called off. */
  const late = new Map<unknown, () => void>();
  let isAtPoint = false;
  let isSilent = false;

  /** Goes on with `answer`, unless this is the point at which something goes wrong. */
  const at = (place: Point, id: Id = '', answer = () => {}) => {
    if (isSilent) return;
    if (place !== point) return answer();
    isAtPoint = true;
    isSilent = fault?.servesOn !== true;
    const answerLate = () => void late.set(id, answer);
    void wire.connected
      .then(() => fault?.happen({ wire, id, answer, answerLate }))
      .then(() => failed.resolve());
  };
  const answered = (place: Point, result: JsonObject, then = () => {}) => {
    return (_params: JsonObject, _agent: unknown, id: Id) => {
      at(place, id, () => {
        agent.answer(id, result);
        then();
      });
      return noAnswer;
    };
  };
  const update = (fields: object) => agent.update('s1', fields);
  const say = (text: string) =>
    update({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { type: 'text', text } });

  const work = async (id: Id, finish: (stopReason: string) => void) => {
    say(' Working.');
    const sessionUpdate = isV1 ? 'tool_call' : 'tool_call_update';
    update({ sessionUpdate, toolCallId: 't1', title: 'Write', status: 'in_progress' });
    at('turn', id, () => void ask(finish));
  };
  const ask = async (finish: (stopReason: string) => void) => {
    const toolCall = { toolCallId: 't1' };
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const asked = agent.request(
      'session/request_permission',
      isV1
        ? { sessionId: 's1', toolCall, options }
        : { sessionId: 's1', title: 'Write?', subject: { type: 'tool_call', toolCall }, options },
    );
    const wasAtPoint = isAtPoint;
    at('permission');
    const { result } = await asked;
    // What was asked before must not end the turn, unless the agent goes on as if nothing had been.
    if (isAtPoint !== wasAtPoint && name !== 'writes garbage') return;
    if (JSON.stringify(result).includes('cancelled')) return finish('cancelled');
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
    say(' Done.');
    finish('end_turn');
  };

  agent
    .on(
      'initialize',
      answered(
        'initialize',
        isV1
          ? {
              protocolVersion: 1,
              agentInfo: { name: 'faulty', version: '1' },
              agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, list: {} } },
            }
          : { protocolVersion: 2, info: { name: 'faulty', version: '1' }, capabilities: { session: {} } },
      ),
    )
    .on(
      'session/new',
      answered('new', { sessionId: 's1' }, () => {
        say('Welcome.');
        if (point === 'idle') setTimeout(() => at('idle'), 20);
      }),
    )
    .on(isV1 ? 'session/load' : 'session/resume', (_params, _agent, id) => {
      say('What was said before, ');
      at('load', id, () => {
        say('all of it.');
        agent.answer(id, {});
      });
      return noAnswer;
    })
    .on('session/prompt', (_params, _agent, id) => {
      at('prompt', id, () => {
        if (isV1) return work(id, (stopReason) => agent.answer(id, { stopReason }));
        agent.answer(id, { messageId: 'u1' });
        update({ sessionUpdate: 'state_update', state: 'running' });
        void work(id, (stopReason) => update({ sessionUpdate: 'state_update', state: 'idle', stopReason }));
      });
      return noAnswer;
    })
    // The answer to the open question ends the turn.
    .on('session/cancel', () => at('cancel'))
    .on('session/close', answered('close', {}))
    .on('_test/ping', (_params, _agent, id) => {
      if (!isSilent) agent.answer(id, {});
      return noAnswer;
    })
    .on('$/cancel_request', ({ requestId }) => late.get(requestId)?.());
  agent.channel.onEnd(() => at('end', '', () => agent.channel.exit({ exitCode: 0 })));
  at('start');
  return failed.promise;
}
