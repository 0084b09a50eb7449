import { commandNamed, commandNames, optionNamed, optionNames } from './grammar.ts';

export const usage = 'acp-client <command> [options] [-- <agent command> [args…]]';

/** What `--help` prints. */
export function helpText(): string {
  const commandLines = commandNames.map((name) => {
    const { argument, does } = commandNamed(name);
    return [`${name} ${argument?.name ?? ''}`.trim(), does] as const;
  });
  const optionLines = optionNames.map((name) => {
    const { short, value, does } = optionNamed(name);
    const takers = commandNames.filter((command) => commandNamed(command).options.includes(name));
    const whose = takers.length === commandNames.length ? '' : `${takers.join(', ')}: `;
    return [`${short ? `-${short}, ` : ''}--${name} ${value ?? ''}`.trim(), `${whose}${does}`] as const;
  });
  return `Talks to a coding agent over the Agent Client Protocol, and shows what it says.

Usage: ${usage}

With no agent command it runs a demo agent that ships with this program: it has
no model and needs no key and no network. Everything here can be tried with it.

Commands
${columns(commandLines)}

Options
${columns(optionLines)}

Examples
  acp-client inspect                              what the demo agent supports
  acp-client sessions                             its example sessions
  acp-client transcript example-tea-house         what was said in one of them
  acp-client prompt 'please edit my notes'        asks you for permission
  acp-client prompt hello --trace hello.ndjson    records every message …
  acp-client fold hello.ndjson --json             … and makes the same of them
  acp-client inspect -- npx -y some-agent --acp   with an agent of yours

The result goes to stdout, everything else to stderr. Ctrl-C leaves; in a prompt
it first cancels the turn.

Exit codes
  0    done
  2    wrong usage
  3    the agent lacks the capability; nothing was sent
  4    the agent answered with an error
  5    the agent broke the protocol, crashed, hung or could not be started
  130  interrupted
`;
}

function columns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length)) + 2;
  return lines.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}
