import { createInterface } from 'node:readline';
import type {
  ClientHandlers,
  HandlerContext,
  PermissionOutcome,
  PermissionRequest,
} from '../client/handlers.ts';
import { clean, cleanLine } from '../render/clean.ts';
import type { Context } from './context.ts';
import { titleOf } from './permission-title.ts';
import { sectionText } from './section-text.ts';

/** What goes on around a question: it stands still while the user thinks. */
export interface Surroundings {
  pause(): void;
  resume(): void;
}

const cancelled: PermissionOutcome = { outcome: 'cancelled' };

/** Puts requests for permission to the user, on the terminal, one at a time. */
export function askUser(
  context: Context,
  surroundings: Surroundings,
): NonNullable<ClientHandlers['requestPermission']> {
  let before: Promise<unknown> = Promise.resolve();
  return (request, handlerContext) => {
    const asked = before.then(async () => {
      if (handlerContext.signal.aborted) return cancelled;
      surroundings.pause();
      try {
        return await ask(request, handlerContext, context);
      } finally {
        surroundings.resume();
      }
    });
    before = asked.catch(() => {});
    return asked;
  };
}

async function ask(
  request: PermissionRequest,
  { session, signal }: HandlerContext,
  { host, output, interrupts }: Context,
): Promise<PermissionOutcome> {
  const { options, description, subject, toolCall } = request;
  output.note(`The agent asks for permission: ${titleOf(request)}`);
  if (description) output.note(indented(clean(description)));
  if (subject?.type === 'command')
    output.note(indented(`$ ${clean(subject.command)}\n(in ${clean(subject.cwd)})`));
  // The options stand below; the tool call would name them too.
  const call = toolCall && { ...toolCall, permission: null };
  if (call) output.note(`\n${sectionText(session.conversation.getSnapshot(), call)}`);
  output.note(`\n${options.map(({ name }, at) => `  ${at + 1}  ${cleanLine(name)}`).join('\n')}`);

  const terminal = createInterface({ input: host.stdin, output: host.stderr });
  // The key comes to whoever reads the keyboard; what it does is decided in one place.
  terminal.on('SIGINT', () => interrupts.press());
  try {
    const answer = await new Promise<string | undefined>((resolve) => {
      terminal.once('close', () => resolve(undefined));
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      terminal.setPrompt(`Your choice, 1 to ${options.length}: `);
      terminal.on('line', (line) => {
        if (options[Number(line) - 1]) resolve(line);
        else terminal.prompt();
      });
      terminal.prompt();
    });
    const chosen = answer === undefined ? undefined : options[Number(answer) - 1];
    output.note(chosen ? '' : '\nNo permission was given.');
    if (chosen) return { outcome: 'selected', optionId: chosen.optionId };
    return cancelled;
  } finally {
    terminal.close();
  }
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
