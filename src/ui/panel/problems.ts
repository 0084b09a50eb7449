import { errorMessage } from '../../core/base/diagnostic.ts';
import { AcpError } from '../../core/base/errors.ts';
import { printable, shortened } from '../../core/base/printable.ts';
import { PanelError, panelError } from './panel-error.ts';
import type { PanelProblem } from './state.ts';

/** The maximum length of a message and of its detail, in characters. */
const maxMessageLength = 1000;
const maxDetailLength = 8000;

/** The end of a line that announces the lines below it. They become the detail. */
const announced = / The end of its stderr:$/;

/** The error of a call that a page must not make. */
export function refused(message: string): PanelError {
  return panelError('panel.refused', message);
}

/** An error as a user can read it: the first line of its message, and the others as the detail. */
export function problemOf(error: unknown): PanelProblem {
  if (error instanceof PanelError) {
    const { message, detail, code, remedy } = error;
    return { message, detail, code, remedy };
  }
  const code = AcpError.is(error) ? error.code : 'panel.failed';
  const [first = '', ...rest] = printable(forUser(error)).trim().split('\n');
  const detail = rest.join('\n').trim();
  return {
    message: shortened(first.replace(announced, ''), maxMessageLength) || 'The action failed.',
    // The end says most: it is the newest output of a program.
    detail: detail === '' ? null : detail.slice(-maxDetailLength),
    code,
    remedy: ownRemedy(error) ?? remedies[code] ?? null,
  };
}

/** The same problem for the log: its detail begins with the method and the code of the agent's answer. */
export function problemForLog(error: unknown): PanelProblem {
  const found = problemOf(error);
  if (sentenceOf(error) === undefined) return found;
  const lines = [printable(errorMessage(error)), ...(found.detail === null ? [] : [found.detail])];
  return { ...found, detail: shortened(lines.join('\n'), maxDetailLength) };
}

/** What the agent itself says in an error that it answered with. The answer of a server has a sentence of ours. */
function sentenceOf(error: unknown): string | undefined {
  if (!AcpError.is(error) || !('agentMessage' in error) || 'status' in error) return undefined;
  const { agentMessage } = error;
  if (typeof agentMessage !== 'string') return undefined;
  return agentMessage.trim() === '' ? 'The agent answered with an error, and said no more.' : agentMessage;
}

/** Why an agent was not started. It can be started again, unless something else has to be done first. */
export function problemOfStart(error: unknown): PanelProblem {
  const found = problemOf(error);
  return { ...found, remedy: found.remedy === 'login' ? 'restart' : (found.remedy ?? 'restart') };
}

/**
 * The agent's sentence, or our message without the name of the call, such as `connect: `, which says nothing to a user.
 */
function forUser(error: unknown): string {
  const sentence = sentenceOf(error);
  if (sentence !== undefined) return sentence;
  const message = errorMessage(error);
  return AcpError.is(error) ? message.replace(/^[a-z][A-Za-z]*: /, '') : message;
}

/** What an editor's own error says that the user can do, such as one of `acp-client-sdk/vscode`. */
function ownRemedy(error: unknown): PanelProblem['remedy'] {
  const named: unknown = Reflect.get(Object(error), 'remedy');
  return named === 'openFolder' || named === 'manageTrust' ? named : null;
}

const remedies: Readonly<Record<string, PanelProblem['remedy']>> = {
  'remote.auth_required': 'login',
  'connection.closed': 'restart',
  'agent.exit': 'restart',
  'agent.spawn': 'restart',
};
