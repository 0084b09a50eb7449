import type { AuthRequiredHandler } from '../client/connection.ts';
import { loginCancelled, permissionTitle } from '../client/requests/dialog-texts.ts';
import { formIssues } from '../client/requests/form-answer.ts';
import type {
  ElicitationAnswer,
  ElicitationContext,
  FormElicitation,
  HandlerContext,
  PermissionOutcome,
  PermissionRequest,
  UrlElicitation,
} from '../client/requests/handlers.ts';
import { ConnectionStateError } from '../errors.ts';
import { listed } from '../issue.ts';
import type { JsonObject } from '../json.ts';
import { onAbort } from '../wait.ts';
import { formFields } from './form-fields.ts';
import { type AfterLogin, loginMethods } from './login.ts';
import { refused } from './problems.ts';
import type { PanelAnswer, PanelQuestion, PanelWaiting } from './state.ts';

/** A question that waits for the user. */
interface Waiting {
  readonly question: PanelQuestion;
  /** Reads the answer of a page and settles the question, or throws a refusal and leaves it open. */
  readonly answer: (answer: PanelAnswer) => void | Promise<void>;
  /** Settles the question without the user. */
  readonly withdraw: () => void;
}

/** Logs in with a method. */
type LogIn = (methodId: string) => Promise<AfterLogin>;

type LoginOutcome = AfterLogin | 'cancelled';

/** Why a call was not sent again after the agent had asked for a login. */
const loginFailures = {
  cancelled: loginCancelled,
  restart: 'The agent is started again after the login. Then repeat what you did.',
} as const satisfies Record<Exclude<LoginOutcome, 'continue'>, string>;

/** The open questions of the agent, of all sessions. */
export class Questions {
  readonly #onChange: () => void;
  readonly #logIn: LogIn;
  readonly #waiting = new Map<string, Waiting>();
  /** The questions whose answer is being carried out. */
  readonly #answering = new Set<string>();
  /** The open questions by URL, by the id that the agent gave them. */
  readonly #urls = new Map<string, () => void>();
  /** The open questions for a login. */
  readonly #logins = new Map<string, (outcome: LoginOutcome) => void>();
  #count = 0;

  constructor(onChange: () => void, logIn: LogIn) {
    this.#onChange = onChange;
    this.#logIn = logIn;
  }

  /** The questions of a session, and those that belong to no session. */
  of(sessionId: string | null): readonly PanelQuestion[] {
    return this.#all().filter((question) => {
      const owner = sessionOf(question);
      return owner === null || owner === sessionId;
    });
  }

  /** How many questions the other sessions have. */
  besides(sessionId: string | null): readonly PanelWaiting[] {
    const counts = new Map<string, number>();
    for (const question of this.#all()) {
      const owner = sessionOf(question);
      if (owner !== null && owner !== sessionId) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return [...counts].map(([id, count]) => ({ sessionId: id, count }));
  }

  /** Whether an open question shows this address. */
  hasUrl(url: string): boolean {
    return this.#all().some((question) => question.kind === 'url' && question.url === url);
  }

  /** @throws a refusal if the question is not open or does not have the answer. */
  async answer(id: string, answer: PanelAnswer): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (!waiting) {
      throw refused('The question is not open any more: it was answered, or the agent withdrew it.');
    }
    if (this.#answering.has(id)) throw refused('The question is being answered. Wait for the result.');
    this.#answering.add(id);
    try {
      await waiting.answer(answer);
    } finally {
      this.#answering.delete(id);
    }
  }

  /** Settles every question as cancelled. */
  withdrawAll(): void {
    for (const { withdraw } of [...this.#waiting.values()]) withdraw();
  }

  readonly requestPermission = (
    request: PermissionRequest,
    { session, subagent, signal }: HandlerContext,
  ): Promise<PermissionOutcome> => {
    const { description, toolCall, options } = request;
    return this.#ask<PermissionOutcome>(signal, { outcome: 'cancelled' }, (id) => ({
      question: {
        kind: 'permission',
        id,
        sessionId: session.sessionId,
        title: permissionTitle(request),
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
    }));
  };

  readonly elicit = {
    form: (request: FormElicitation, context: ElicitationContext): Promise<ElicitationAnswer> => {
      // The client passes what it parsed from JSON.
      const schema = request.requestedSchema as JsonObject;
      const fields = formFields(schema);
      return this.#ask<ElicitationAnswer>(context.signal, { action: 'cancel' }, (id) => ({
        question: {
          kind: 'form',
          id,
          sessionId: context.session?.sessionId ?? null,
          message: request.message,
          fields,
        },
        read(answer) {
          if (!('action' in answer)) throw wrongAction();
          if (answer.action !== 'accept') return answer;
          const { content = {} } = answer;
          const unknown = Object.keys(content).filter((name) => fields.every((field) => field.name !== name));
          if (unknown.length > 0) throw refused(`The form does not have the field ${unknown.join(', ')}.`);
          const issues = formIssues(schema, content);
          if (issues.length > 0) throw refused(`The form is not complete: ${listed(issues)}.`);
          return { action: 'accept', content };
        },
      }));
    },
    url: (request: UrlElicitation, context: ElicitationContext): Promise<ElicitationAnswer> => {
      const { elicitationId, url, message } = request;
      const asked = this.#ask<ElicitationAnswer>(context.signal, { action: 'cancel' }, (id, settle) => {
        this.#urls.set(elicitationId, () => settle({ action: 'accept' }));
        return {
          question: {
            kind: 'url',
            id,
            sessionId: context.session?.sessionId ?? null,
            message,
            url,
            host: webHost(url),
          },
          read(answer) {
            if (!('action' in answer)) throw wrongAction();
            return { action: answer.action };
          },
        };
      });
      return asked.finally(() => this.#urls.delete(elicitationId));
    },
    /** The user completed a request by URL outside of the panel, before answering the question. */
    completed: (elicitationId: string): void => this.#urls.get(elicitationId)?.(),
  };

  /** Asks for a login. Resolves when the user has logged in. */
  readonly requireLogin: AuthRequiredHandler = async ({ authMethods }) => {
    const outcome = await this.#ask<LoginOutcome>(undefined, 'cancelled', (id, settle) => {
      this.#logins.set(id, settle);
      return {
        question: {
          kind: 'login',
          id,
          methods: loginMethods(authMethods),
          reason: 'The agent needs a login.',
        },
        read: async (answer) => {
          if ('action' in answer && answer.action !== 'accept') return 'cancelled';
          if (!('methodId' in answer)) throw refused('Answer with the methodId of one of the methods.');
          return this.#logIn(answer.methodId);
        },
      };
    });
    if (outcome !== 'continue') throw new ConnectionStateError(loginFailures[outcome]);
  };

  /** Settles the questions for a login: the user logged in without answering them. */
  loggedIn(after: AfterLogin): void {
    for (const settle of [...this.#logins.values()]) settle(after);
  }

  #all(): readonly PanelQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Opens a question. The promise resolves with what `read` makes of the user's answer, or with `cancelled`. */
  #ask<Outcome>(
    signal: AbortSignal | undefined,
    cancelled: Outcome,
    describe: (
      id: string,
      settle: (outcome: Outcome) => void,
    ) => {
      readonly question: PanelQuestion;
      readonly read: (answer: PanelAnswer) => Outcome | Promise<Outcome>;
    },
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      const id = `q${++this.#count}`;
      const settle = (outcome: Outcome) => {
        if (!this.#waiting.delete(id)) return;
        this.#logins.delete(id);
        stopListening();
        this.#onChange();
        resolve(outcome);
      };
      const withdraw = () => settle(cancelled);
      const stopListening = onAbort(signal, withdraw);
      const { question, read } = describe(id, settle);
      const answer = async (given: PanelAnswer) => settle(await read(given));
      this.#waiting.set(id, { question, answer, withdraw });
      if (signal?.aborted) withdraw();
      else this.#onChange();
    });
  }
}

function wrongAction() {
  return refused("Answer with { action: 'accept' }, { action: 'decline' } or { action: 'cancel' }.");
}

function webHost(url: string): string {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  return protocol === 'http:' || protocol === 'https:' ? host : '';
}

function sessionOf(question: PanelQuestion): string | null {
  return question.kind === 'login' ? null : question.sessionId;
}
