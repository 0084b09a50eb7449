/** The kind of a problem with an agent. Later versions can add kinds. */
export type AgentProblemCode =
  /** There is no such program. */
  | 'program.not_found'
  /** The program exists, and the system cannot start it. */
  | 'program.cannot_start'
  /** The program ended before it answered. */
  | 'program.exited'
  /** `npx` or `uvx` could not download the agent. */
  | 'program.download_failed'
  | 'program.needs_newer_node'
  | 'program.wrong_architecture'
  /** The program did not answer `initialize` in time. */
  | 'agent.no_answer'
  /** The program writes output that is not the protocol. */
  | 'agent.not_acp'
  /** The agent answered `initialize` with an error. */
  | 'agent.refused'
  /** The agent speaks no version of the protocol that this library speaks. */
  | 'protocol.unsupported_version'
  /** The agent answers only if the newest version is not offered. */
  | 'protocol.offer_older_version'
  /** The agent says that it needs a login. */
  | 'login.required'
  /** The agent does not open a session, for another reason than a login. */
  | 'session.failed'
  | 'session.no_answer'
  /** The time of the probe ended before each step was carried out. */
  | 'probe.out_of_time';

/** Something that keeps an agent from working, and what to do about it. */
export interface AgentProblem {
  readonly code: AgentProblemCode;
  /** What happened, with the last lines that the program wrote where they say why. It can have several lines. */
  readonly message: string;
  /** What to do now. It is for the user, unless it names the editor or the author of the agent. */
  readonly remedy: string;
}

const remedies: Readonly<Record<AgentProblemCode, string>> = {
  'program.not_found': 'Install the agent, or correct its command.',
  'program.cannot_start': 'Make the program one that this system can run.',
  'program.exited':
    'Run the same command in a terminal, and correct what it reports. It must be the command that starts the agent as an ACP agent, often with an option such as --acp.',
  'program.download_failed':
    'Check the network, the proxy and the name of the package, and run the same command in a terminal once.',
  'program.needs_newer_node':
    'Install the version of Node.js that the agent needs, and put it first in PATH.',
  'program.wrong_architecture': 'Install a build of the agent for this system and processor.',
  'agent.no_answer':
    'Run the same command in a terminal to see what it waits for. A first start that downloads a package can need a longer time limit. If the command is not that of an ACP agent, correct it, often with an option such as --acp.',
  'agent.not_acp':
    'Correct the command, often with an option such as --acp. If it is right, the author of the agent makes it write nothing but messages to stdout.',
  'agent.refused': 'Update the agent. If that does not help, report the error to its author.',
  'protocol.unsupported_version': 'Update the agent, or the editor.',
  'protocol.offer_older_version':
    'The editor passes protocolVersions to connect. The author of the agent answers with an older version instead of an error.',
  'login.required': 'Log in with the program of the agent, or set its key.',
  'session.failed':
    'Correct what the error names, often the configuration of the agent or its key. If it names nothing, report it to the author of the agent.',
  'session.no_answer':
    'Run the program of the agent in a terminal to see what it waits for, often the network or a login.',
  'probe.out_of_time': 'Allow more time.',
};

/** A problem of this kind, with what is usually done about it. */
export function problem(code: AgentProblemCode, message: string, remedy = remedies[code]): AgentProblem {
  return { code, message, remedy };
}
