import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { errorMessage } from '../../base/diagnostic.ts';
import { checkOptions, oneOf, optional, optionsObject } from '../../base/options.ts';
import { serveDemoAgent } from './agent.ts';
import { dialects } from './dialect.ts';
import { keywords } from './replies.ts';
import { stdioChannel } from './stdio.ts';
import { folderStore, memoryStore } from './store.ts';

const help = `A demo agent: it speaks the Agent Client Protocol on stdin and stdout, one JSON message a line.
It has no model and needs no network. The same prompt always gets the same answer.

Options
  --state DIR       keep new sessions in this directory (default: in memory)
  --dialect NAME    ${Object.keys(dialects).join(', ')} (default: the client chooses the version)
  -h, --help        print this

Words in a prompt that choose the answer
${keywords.map(({ words, effect }) => `  ${words.join(', ').padEnd(18)}${effect}`).join('\n')}
`;

/** `v2` is a short name. */
const dialectNames = { ...dialects, v2: dialects['v2-baseline'] };

const options = optionsObject({
  state: optional(v.string()),
  dialect: optional(oneOf('v1', 'v2-markers', 'v2-baseline', 'v2')),
  help: optional(v.boolean()),
});

function readOptions(): v.InferOutput<typeof options> {
  const string = { type: 'string' } as const;
  const known = { state: string, dialect: string, help: { type: 'boolean', short: 'h' } } as const;
  return checkOptions('acp-demo-agent', options, { ...parseArgs({ options: known }).values });
}

/** Runs `step`. If it throws, prints the error and sets the exit code. */
function orExit<T>(exitCode: number, step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exitCode = exitCode;
    return undefined;
  }
}

// Set if the program that runs this is Electron. The agent must not pass it on.
delete process.env['ELECTRON_RUN_AS_NODE'];

const given = orExit(2, readOptions);
if (given?.help) process.stdout.write(help);
else if (given) {
  const { state, dialect } = given;
  const store = orExit(1, () => (state === undefined ? memoryStore() : folderStore(state)));
  if (store) serveDemoAgent(stdioChannel(), store, dialect && dialectNames[dialect]);
}
