import { loginAdvice } from '../../agents/find.ts';
import { listed } from '../../core/base/issue.ts';
import type { JsonObject } from '../../core/base/json.ts';
import type { AuthRequiredHandler } from '../../core/client/connection.ts';
import { formIssues } from '../../core/client/requests/form-answer.ts';
import type {
  ClientHandlers,
  ElicitationAnswer,
  PermissionOutcome,
} from '../../core/client/requests/handlers.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import { type LoginFacts, loginSentences } from '../../core/protocol/login-advice.ts';
import { formFields } from './form-fields.ts';
import { type AfterLogin, loginMethods } from './login.ts';
import type { OpenQuestions } from './open-questions.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';

type LoginOutcome = AfterLogin | 'cancelled';

/** Why a call was not sent again after the agent had asked for a login, and what helps. */
const loginFailures: Record<'cancelled' | 'restart', readonly [message: string, remedy?: 'login']> = {
  cancelled: ['The agent needs a login, and the login was cancelled. Log in first.', 'login'],
  restart: ['The agent is started again after the login. Then repeat what you did.'],
};

/** The handlers of a connection that put the agent's questions to the user of a panel. */
export interface QuestionHandlers extends Required<Pick<ClientHandlers, 'requestPermission' | 'elicit'>> {
  readonly requireLogin: AuthRequiredHandler;
}

/** @param login - Logs in with a method that the user chose. */
export function questionHandlers(
  questions: OpenQuestions,
  login: (methodId: string) => Promise<AfterLogin>,
): QuestionHandlers {
  return {
    requestPermission: (request, { session, subagent, signal }): Promise<PermissionOutcome> => {
      const { title, description, toolCall, options } = request;
      return questions.ask<PermissionOutcome>({
        signal,
        cancelled: { outcome: 'cancelled' },
        question: {
          kind: 'permission',
          id: questions.nextId(),
          sessionId: session.sessionId,
          title: title ?? toolCall?.title ?? 'Allow the agent to continue?',
          description,
          toolCallKey: toolCall?.key ?? null,
          options: options.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
          subagent: subagent ? (subagent.title ?? subagent.sessionId) : null,
        },
        read(answer) {
          if ('action' in answer && answer.action === 'cancel') return { outcome: 'cancelled' };
          const optionId = 'optionId' in answer ? answer.optionId : undefined;
          if (optionId !== undefined && options.some((option) => option.optionId === optionId)) {
            return { outcome: 'selected', optionId };
          }
          throw refused(
            'The question does not have this option. Answer with the optionId of one of its options.',
          );
        },
      });
    },

    elicit: {
      form({ requestedSchema, message }, { session, signal }): Promise<ElicitationAnswer> {
        // The client passes what it parsed from JSON.
        const schema = requestedSchema as JsonObject;
        const fields = formFields(schema);
        const { sessionId = null } = session ?? {};
        return questions.ask<ElicitationAnswer>({
          signal,
          cancelled: { action: 'cancel' },
          question: { kind: 'form', id: questions.nextId(), sessionId, message, fields },
          read(answer) {
            if (!('action' in answer)) throw wrongAction();
            if (answer.action !== 'accept') return answer;
            const { content = {} } = answer;
            const known = new Set(fields.map(({ name }) => name));
            const unknown = Object.keys(content).filter((name) => !known.has(name));
            if (unknown.length > 0) throw refused(`The form does not have the field ${unknown.join(', ')}.`);
            const issues = formIssues(schema, content);
            if (issues.length > 0) throw refused(`The form is not complete: ${listed(issues)}.`);
            return { action: 'accept', content };
          },
        });
      },

      url({ elicitationId, url, message }, { session, signal }): Promise<ElicitationAnswer> {
        const { sessionId = null } = session ?? {};
        return questions.ask<ElicitationAnswer>({
          signal,
          cancelled: { action: 'cancel' },
          elicitationId,
          question: { kind: 'url', id: questions.nextId(), sessionId, message, url, host: webHost(url) },
          read(answer) {
            if (!('action' in answer)) throw wrongAction();
            return { action: answer.action };
          },
        });
      },

      completed: (elicitationId) => questions.urlCompleted(elicitationId),
    },

    async requireLogin({ authMethods, connection, reason = '' }) {
      const advice = adviceBesides(authMethods, {
        names: [connection.agentInfo?.name],
        agentMessage: reason,
      });
      const outcome = await questions.ask<LoginOutcome>({
        cancelled: 'cancelled',
        question: {
          kind: 'login',
          id: questions.nextId(),
          methods: loginMethods(authMethods),
          reason: [reason, advice].filter((part) => part !== '').join('\n'),
        },
        read(answer) {
          if ('action' in answer && answer.action !== 'accept') return 'cancelled';
          if (!('methodId' in answer)) throw refused('Answer with the methodId of one of the methods.');
          return login(answer.methodId);
        },
      });
      if (outcome !== 'continue') throw panelError('panel.login', ...loginFailures[outcome]);
    },
  };
}

/** How the user can log in besides the methods of the agent, which are buttons. Empty if the buttons are all. */
function adviceBesides(authMethods: readonly AuthMethod[], facts: LoginFacts): string {
  const { commands, variables } = loginAdvice({ authMethods, ...facts });
  if (authMethods.length > 0 && commands.length === 0 && variables.length === 0) return '';
  return loginSentences({ commands, variables, methods: [] });
}

function wrongAction() {
  return refused("Answer with { action: 'accept' }, { action: 'decline' } or { action: 'cancel' }.");
}

function webHost(url: string): string {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  return protocol === 'http:' || protocol === 'https:' ? host : '';
}
