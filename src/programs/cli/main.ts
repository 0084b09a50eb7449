import { type Invocation, readArguments } from './arguments.ts';
import type { CommandName } from './command-table.ts';
import { type Context, Interrupts } from './context.ts';
import { CommandError, exitCodeOf, exitCodes, explain } from './errors.ts';
import { helpText } from './help.ts';
import { version } from './options.ts';
import { diagnosticPrinter, Output } from './print.ts';

type Run = (invocation: Invocation, context: Context) => Promise<void>;

/** A command is loaded when it runs: help and wrong usage need none of them, and `fold` needs no connection. */
const commands: Readonly<Record<CommandName, () => Promise<Run>>> = {
  inspect: async () => (await import('./commands/inspect.ts')).inspect,
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
    } else if (request.show === 'help') {
      await output.result(helpText(request.command, output.width));
    } else {
      const { checkedSchemas } = await import('./schemas.ts');
      await output.result(`${version}\n${checkedSchemas}\n`);
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
