import { choosePermissionOption } from '../../core/client/requests/choose-permission-option.ts';
import type {
  HandlerContext,
  PermissionOutcome,
  PermissionRequest,
} from '../../core/client/requests/handlers.ts';
import { askedPlan } from '../../core/conversation/asked-plan.ts';
import type { ToolCallEntry } from '../../core/model/conversation.ts';
import { clean, cleanLine } from '../../core/render/clean.ts';
import { renderEntryText } from '../../core/render/text.ts';
import { showsPlan } from '../../core/render/tool-parts.ts';
import { editsInside } from '../../node/files/edits-inside.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { renderPlans } from './live.ts';
import type { Terminal } from './terminal.ts';

type Handler = (request: PermissionRequest, context: HandlerContext) => Promise<PermissionOutcome>;

/** What goes on around a question. */
export interface Surroundings {
  /** Asks a question. What goes on around it stops meanwhile. */
  pausedFor<T>(question: () => Promise<T>): Promise<T>;
  /** The question shows a tool call in full, which need not be shown again. */
  onShown(toolCall: ToolCallEntry): void;
}

const cancelled: PermissionOutcome = { outcome: 'cancelled' };

/** A permission request, and how it was answered. */
export interface AnsweredPermission {
  readonly request: PermissionRequest;
  readonly outcome: PermissionOutcome;
  /** Who answered: the user on the terminal, or an option of the command line. */
  readonly by: 'user' | 'option';
}

/** Whether the answer lets the agent go on. */
export function isAllowed({ request, outcome }: AnsweredPermission): boolean {
  if (outcome.outcome !== 'selected') return false;
  const chosen = request.options.find(({ optionId }) => optionId === outcome.optionId);
  return chosen?.kind.startsWith('allow_') ?? false;
}

/** Answers permission requests as `--allow-edits` and `--permit` say, and tells `onAnswered`. */
export function permissionHandler(
  { permit, allowEdits }: Pick<Invocation, 'permit' | 'allowEdits'>,
  context: Context,
  terminal: Terminal,
  surroundings: Surroundings,
  onAnswered: (answered: AnsweredPermission) => void = () => {},
): Handler {
  const { stdin, stderr } = context.host;
  const isEditAllowed = editsInside(allowEdits);
  const asksUser = permit === 'ask' && stdin.isTTY && stderr.isTTY;
  const ask = askUser(context, terminal, surroundings);
  return async (request, handlerContext) => {
    const isInside = await isEditAllowed(request, handlerContext);
    const allowed = isInside ? choosePermissionOption(request.options, 'allow_once') : undefined;
    const outcome =
      allowed ?? (asksUser ? await ask(request, handlerContext) : answerByKind(permit, request, context));
    onAnswered({ request, outcome, by: asksUser && !allowed ? 'user' : 'option' });
    return outcome;
  };
}

/** The kinds that an answer may choose, in this order. */
const kinds = {
  ask: ['reject_once', 'reject_always'],
  allow: ['allow_once', 'allow_always'],
  reject: ['reject_once', 'reject_always'],
} as const;

/** Chooses the only option of the first kind that is offered. If there are several of it, only the user can choose. */
function answerByKind(
  permit: Invocation['permit'],
  request: PermissionRequest,
  { output }: Context,
): PermissionOutcome {
  const { options } = request;
  const title = titleOf(request);
  if (permit === 'ask')
    output.note(`"${title}" was refused: there is no terminal to ask on. --permit sets the answer.`);
  const offered = kinds[permit].find((kind) => options.some((option) => option.kind === kind));
  const chosen = offered && choosePermissionOption(options, offered);
  if (chosen) return chosen;
  const reason = offered
    ? `several options are of kind ${offered} or have the same id`
    : `no option is of kind ${kinds[permit].join(' or ')}`;
  output.note(`"${title}" was answered "cancelled": ${reason}.`);
  return cancelled;
}

/** Asks the user on the terminal, one request at a time. What surrounds the question is paused meanwhile. */
export function askUser({ output }: Context, terminal: Terminal, surroundings: Surroundings): Handler {
  const ask: Handler = async (request, { session, signal }) => {
    const { options, description, subject, toolCall } = request;
    output.note(`The agent asks for permission: ${titleOf(request)}`);
    if (description) output.note(indented(clean(description)));
    if (subject?.type === 'command') {
      output.rendered(indented(`$ ${clean(subject.command)}\n(in ${cleanLine(subject.cwd)})`));
    }
    if (toolCall) {
      // The options are printed below.
      const entry = { ...toolCall, permission: null };
      const look = { width: output.width, color: output.noteColor };
      output.rendered(`\n${renderEntryText(session.conversation, entry, look)}`);
      // Otherwise it would be printed after the answer.
      const plan = !showsPlan(toolCall) && askedPlan(session.conversation, toolCall);
      if (plan) output.rendered(`\n${renderPlans({ ...session.conversation, plans: [plan] }, look)}`);
      // The same terminal shows the transcript.
      if (output.isTerminal) surroundings.onShown(toolCall);
    }
    if (options.length === 0) {
      output.note('\nThe agent offers no choice.\nNo permission was given.');
      return cancelled;
    }
    output.note(`\n${options.map(({ name }, index) => `  ${index + 1}  ${cleanLine(name)}`).join('\n')}`);

    const chosenBy = (line = '') => options[Number(line) - 1];
    const question = `Your choice, 1 to ${options.length}: `;
    const chosen = chosenBy(await terminal.answer(question, (line) => chosenBy(line) !== undefined, signal));
    output.note(chosen ? '' : '\nNo permission was given.');
    return chosen ? { outcome: 'selected', optionId: chosen.optionId } : cancelled;
  };
  let previous: Promise<unknown> = Promise.resolve();
  return (request, context) => {
    const answer = previous.then(() =>
      context.signal.aborted ? cancelled : surroundings.pausedFor(() => ask(request, context)),
    );
    previous = answer.catch(() => {});
    return answer;
  };
}

/** What permission is asked for, on one line. */
export function titleOf({ title, toolCall }: PermissionRequest): string {
  return cleanLine(title ?? toolCall?.title ?? toolCall?.name ?? 'something without a title');
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
