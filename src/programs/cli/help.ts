import { wrapLines } from '../../render/lines.ts';
import { actionNames, actions } from './history-actions.ts';
import {
  type CommandName,
  commandNames,
  commands,
  type Option,
  type OptionName,
  optionNames,
  options,
  program,
  runsAgent,
  usage,
} from './options.ts';
import { fitTable } from './print.ts';

const exitCodeRows = [
  ['  0', 'done'],
  ['  2', 'wrong usage'],
  ['  3', 'the agent lacks the capability; nothing was sent'],
  ['  4', 'the agent answered with an error'],
  ['  5', 'the agent broke the protocol, crashed, hung or could not be started'],
  ['  6', 'prompt: a permission was refused'],
  ['  130', 'interrupted'],
];

/** The overview that `--help` prints, for a terminal with so many columns. */
export function helpText(width = 80): string {
  const commandRows = commandNames.map((name) => {
    const { argument, help } = commands[name];
    return [`  ${name} ${argument?.name ?? ''}`.trimEnd(), help];
  });
  const text = `Talks to a coding agent over the Agent Client Protocol, and shows what it says.

${usageOf(undefined)}

Without an agent command it runs a demo agent that ships with this program. The demo agent has no model and needs no key and no network. You can try everything here with it. A URL after -- reaches an agent on another machine.

Commands
${fitTable(commandRows, width)}
Options (each command has some of them)
${fitTable(optionRows(optionNames), width)}
Examples
${fitTable([...commandNames.flatMap((name) => exampleRows(name).slice(0, 1)), ...exampleRows('inspect').slice(-1)], width)}
The result goes to stdout, everything else to stderr. Ctrl-C ends the command; in a turn it first cancels the turn. "${program} help <command>" describes one command.

Exit codes
${fitTable(exitCodeRows, width)}`;
  return wrapLines(text, width);
}

/** How a command is called, or any command. */
export function usageOf(name: CommandName | undefined): string {
  if (name === undefined) return `Usage: ${program} ${usage}`;
  const { argument, runsAll } = commands[name];
  const words = [
    program,
    name,
    argument?.name,
    '[options]',
    runsAgent(name) && (runsAll ? '[-- <agent command> [args…]]' : '[-- <agent command or URL> [args…]]'),
  ];
  return `Usage: ${words.filter(Boolean).join(' ')}`;
}

/** The help of one command. */
export function commandHelp(name: CommandName, width = 80): string {
  const { argument, details, options: own } = commands[name];
  const argumentRows = argument ? [[`  ${argument.name}`, argument.help]] : [];
  const actionPart = name === 'history' ? `Actions\n${fitTable(actionRows(), width)}\n` : '';
  const text = `${usageOf(name)}

${details}

${actionPart}Options
${fitTable([...argumentRows, ...optionRows(own)], width)}
Examples
${fitTable(exampleRows(name), width)}`;
  return wrapLines(text, width);
}

function actionRows(): readonly (readonly string[])[] {
  return actionNames.map((name) => {
    const { argument, help } = actions[name];
    return [`  ${name} ${argument?.name ?? ''}`.trimEnd(), help];
  });
}

function optionRows(names: readonly OptionName[]): readonly (readonly string[])[] {
  return names.map((name) => [optionTerm(name), options[name].help]);
}

function optionTerm(name: OptionName): string {
  const { short, value, multiple }: Option = options[name];
  return `  ${short ? `-${short}, ` : ''}--${name} ${value ?? ''}${multiple ? '…' : ''}`.trimEnd();
}

function exampleRows(name: CommandName): readonly (readonly string[])[] {
  return commands[name].examples.map(([words, effect]) => [`  ${program} ${words}`, effect]);
}
