import { type Request, readArguments } from './arguments.ts';
import { agents } from './commands/agents.ts';
import { chat } from './commands/chat.ts';
import { doctor } from './commands/doctor.ts';
import { fold } from './commands/fold.ts';
import { inspect } from './commands/inspect.ts';
import { prompt } from './commands/prompt.ts';
import { sessions } from './commands/sessions.ts';
import { transcript } from './commands/transcript.ts';
import { type Context, Interrupts } from './context.ts';
import { exitCodeOf, exitCodes, explain } from './errors.ts';
import { commandHelp, helpText } from './help.ts';
import { type Invocation, version } from './options.ts';
import { diagnosticPrinter, Output } from './print.ts';

const commands: Readonly<
  Record<Invocation['command'], (invocation: Invocation, context: Context) => Promise<void>>
> = {
  inspect,
  sessions,
  transcript,
  prompt,
  chat,
  fold,
  agents,
  doctor,
};

/** Runs the command line of a process, and resolves to its exit code. Never rejects. */
export async function runCommandLine(host: NodeJS.Process): Promise<number> {
  const output = new Output(host);
  const interrupts = new Interrupts(host);
  const { report, finish } = diagnosticPrinter(output);
  try {
    const request = readArguments(host.argv.slice(2), host.cwd());
    if ('run' in request) {
      await commands[request.run.command](request.run, { host, output, interrupts, report });
    } else {
      await output.result(textOf(request, output.width));
    }
    return exitCodes.done;
  } catch (error) {
    output.note(`acp-client: ${explain(error)}`);
    return exitCodeOf(error);
  } finally {
    finish();
    interrupts.dispose();
  }
}

function textOf(request: Exclude<Request, { readonly run: Invocation }>, width: number | undefined): string {
  if (request.show === 'version') return `${version}\n`;
  return request.command ? commandHelp(request.command, width) : helpText(width);
}
