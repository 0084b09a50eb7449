import { wrapLines } from '../../core/render/lines.ts';
import { type CommandName, commandNames, commands, program, runsAgent } from './command-table.ts';
import { type Option, options } from './options.ts';
import { fitTable } from './print.ts';

/** How a command is called, or any command. */
export function usageOf(name: CommandName | undefined): string {
  if (name === undefined) return `Usage: ${program} <command> [options] [-- <agent command or URL> [args…]]`;
  const { argument, runsAll } = commands[name];
  const agent = runsAll ? '[-- <agent command> [args…]]' : '[-- <agent command or URL> [args…]]';
  const words = [program, name, argument?.name, '[options]', runsAgent(name) && agent];
  return `Usage: ${words.filter(Boolean).join(' ')}`;
}

/** The overview, or the help of one command, for a terminal with this many columns. */
export function helpText(name?: CommandName, width = 80): string {
  const sections = name === undefined ? overview() : descriptionOf(name);
  const texts = sections.map((part) =>
    typeof part === 'string' ? `${part}\n` : `${part.title}\n${fitTable(part.rows, width)}`,
  );
  return wrapLines(texts.join('\n'), width);
}

/** A text, or a table with its title. */
type Section = string | { readonly title: string; readonly rows: readonly (readonly string[])[] };

function overview(): readonly Section[] {
  return [
    'Talks to a coding agent over the Agent Client Protocol, and shows what it says.',
    usageOf(undefined),
    {
      title: 'Commands',
      rows: commandNames.map((name) => {
        const { argument, help } = commands[name];
        return [`  ${name} ${argument?.name ?? ''}`.trimEnd(), help];
      }),
    },
    'Without an agent, a command runs a demo agent, which needs no key and no network. A URL after -- reaches an agent on another machine, and --agent NAME starts one of the registry.',
    {
      title: 'Examples',
      rows: [
        ...(['inspect', 'prompt', 'chat'] as const).flatMap((name) => exampleRows(name).slice(0, 1)),
        ...exampleRows('inspect').slice(2, 3),
      ],
    },
    `"${program} <command> --help" describes a command and its options. The result goes to stdout, everything else to stderr. Ctrl-C ends a command. In a turn it first cancels the turn.`,
    'Exit codes: 0 done, 2 wrong usage, 3 the agent lacks the capability, 4 the agent answered with an error, 5 the agent broke the protocol, crashed, hung or could not be started, 6 a permission was refused, 130 interrupted.',
  ];
}

function descriptionOf(name: CommandName): readonly Section[] {
  const { argument, details } = commands[name];
  const argumentRows = argument ? [[`  ${argument.name}`, argument.help]] : [];
  return [
    usageOf(name),
    details,
    { title: 'Options', rows: [...argumentRows, ...optionRows(name)] },
    { title: 'Examples', rows: exampleRows(name) },
  ];
}

function optionRows(command: CommandName): readonly (readonly string[])[] {
  const { options: own, formats, meanings } = commands[command];
  return own.map((name) => {
    const { short, value, multiple, help }: Option = options[name];
    const term = `  ${short ? `-${short}, ` : ''}--${name} ${value ?? ''}${multiple ? '…' : ''}`;
    const meaning = meanings?.[name] ?? help;
    return [term.trimEnd(), name === 'format' ? `${meaning}: ${formats.join(', ')}` : meaning];
  });
}

function exampleRows(name: CommandName): readonly (readonly string[])[] {
  return commands[name].examples.map(([words, effect]) => [`  ${program} ${words}`, effect]);
}
