import { type Invocation, type Request, readArguments } from './arguments.ts';
import type { CommandName } from './command-table.ts';
import { type Context, Interrupts } from './context.ts';
import { CommandError, exitCodeOf, exitCodes, explain } from './errors.ts';
import { helpText } from './help.ts';
import { version } from './options.ts';
import { diagnosticPrinter, Output } from './print.ts';

type Run = (invocation: Invocation, context: Context) => Promise<void>;

/** A command is loaded when it runs: help and wrong usage need none of them, and `fold` needs no connection. */
const commands: Readonly<Record<CommandName, () => Promise<Run>>> = {
  inspect: async () => inspectOrServe,
  sessions: async () => (await import('./commands/sessions.ts')).sessions,
  transcript: async () => (await import('./commands/transcript.ts')).transcript,
  prompt: async () => (await import('./commands/prompt.ts')).prompt,
  chat: async () => (await import('./commands/chat.ts')).chat,
  history: async () => (await import('./commands/history.ts')).history,
  'history search': async () => (await import('./commands/history.ts')).search,
  'history print': async () => (await import('./commands/history.ts')).print,
  'history remove': async () => (await import('./commands/history.ts')).remove,
  fold: async () => (await import('./commands/fold.ts')).fold,
  agents: async () => (await import('./commands/agents.ts')).agents,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
};

const inspectOrServe: Run = async (invocation, context) => {
  if (!invocation.web) return (await import('./commands/inspect.ts')).inspect(invocation, context);
  // No other command loads a server.
  const { inspectWeb } = await import('./commands/inspect-web.ts');
  return inspectWeb(invocation, invocation.web, context);
};

/** Runs the command line of a process, and resolves to its exit code. Never rejects. */
export async function runCommandLine(host: NodeJS.Process): Promise<number> {
  const output = new Output(host);
  const interrupts = new Interrupts(host);
  const { report, finish } = diagnosticPrinter(output);
  // What shows a line that moves, or reads keys, must not leave the terminal so.
  const crash = (error: unknown) => {
    output.note(`acp-client-sdk: ${explain(error)}`);
    host.exit(exitCodes.bug);
  };
  host.on('uncaughtException', crash);
  // A turn can take long, and its result would not be seen.
  void output.unread.then(() =>
    interrupts.end(new CommandError('Nothing reads the result.', exitCodes.done)),
  );
  try {
    const request = readArguments(host.argv.slice(2), host.cwd());
    if ('run' in request) {
      const run = await commands[request.run.command]();
      await run(request.run, { host, output, interrupts, report });
    } else {
      await output.result(await textOf(request, output.width));
    }
    return exitCodes.done;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    if (exitCode !== exitCodes.done) output.note(`acp-client-sdk: ${explain(error)}`);
    return exitCode;
  } finally {
    finish();
    interrupts.dispose();
    host.off('uncaughtException', crash);
  }
}

async function textOf(
  request: Exclude<Request, { readonly run: Invocation }>,
  width: number | undefined,
): Promise<string> {
  if (request.show === 'version') {
    const { checkedSchemas } = await import('./schemas.ts');
    return `${version}\n${checkedSchemas}\n`;
  }
  return helpText(request.command, width);
}
