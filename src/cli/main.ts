import { type Invocation, readArguments } from './arguments.ts';
import type { Context } from './context.ts';
import { diagnosticPrinter } from './diagnostics.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { explain } from './explain.ts';
import { fold } from './fold.ts';
import type { CommandName } from './grammar.ts';
import { helpText } from './help.ts';
import { inspect } from './inspect.ts';
import { Interrupts } from './interrupts.ts';
import { Output } from './output.ts';
import { prompt } from './prompt.ts';
import { sessions } from './sessions.ts';
import { transcript } from './transcript.ts';
import { version } from './version.ts';

const commands: Readonly<Record<CommandName, (invocation: Invocation, context: Context) => Promise<void>>> = {
  inspect,
  sessions,
  transcript,
  prompt,
  fold,
};

/** Runs the command line of this process, and resolves to its exit code. Never rejects. */
export async function runCommandLine(host: NodeJS.Process): Promise<number> {
  const output = new Output(host);
  const interrupts = new Interrupts(host);
  const { report, finish } = diagnosticPrinter(output);
  try {
    const request = readArguments(host.argv.slice(2), host.cwd());
    if ('show' in request) await output.result(request.show === 'help' ? helpText() : `${version}\n`);
    else await commands[request.run.command](request.run, { host, output, interrupts, report });
    return exitCodes.done;
  } catch (error) {
    output.note(`acp-client: ${explain(error)}`);
    return exitCodeOf(error);
  } finally {
    finish();
    interrupts.dispose();
  }
}
