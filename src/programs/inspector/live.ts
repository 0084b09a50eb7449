import { placeholder, withoutQueryValues, withoutUrlCredentials } from '../../core/base/secrets.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { TrafficRecord } from '../../core/trace/traffic.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { PanelWorkspace } from '../../ui/panel/options.ts';
import { servePanel } from '../../ui/panel/serve.ts';
import { maxRequestBytes } from './server/serve.ts';
import { GrowingTimeline } from './timeline/growing.ts';
import type { Note } from './timeline/notes.ts';
import { TimelineRecorder } from './timeline/recorder.ts';

/** A program that runs an agent, or the address of one. */
export type AgentDescription =
  | {
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly cwd?: string | undefined;
      readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    }
  | { readonly url: string };

/** An agent that the inspector runs. */
export interface LiveOptions {
  readonly title: string;
  readonly agent: AgentDescription;
  /** Starts or reaches the agent. Called again for each start. `onStderr` takes what it writes to stderr. */
  readonly open: (
    onStderr: (text: string) => void,
  ) => Promise<Transport & { readonly pid?: number | undefined }>;
  /** Without `trace` and `onDiagnostic`, which the timeline takes. */
  readonly connect: Omit<ConnectOptions, 'trace' | 'onDiagnostic'>;
  readonly workspace: PanelWorkspace;
  /** What the channel sends beside the messages, such as a token. */
  readonly secrets?: readonly string[];
  /** Called with each record of the traffic, without its secrets. */
  readonly onRecord?: ((record: TrafficRecord) => void) | undefined;
}

/** How many sessions of the agent's list are shown. */
const maxListedSessions = 2000;

/** Starts an agent, and writes what happens into a timeline. Returns the timeline and the panel of the agent. */
export function startLiveAgent(options: LiveOptions) {
  const { title, agent, open, connect, workspace, secrets, onRecord } = options;
  const timeline = new GrowingTimeline(title, [], 'live');
  const recorder = new TimelineRecorder(timeline, secrets);
  const description = describe(agent);
  let starts = 0;
  const start = async () => {
    recorder.process({ state: starts++ === 0 ? 'starting' : 'restarting', ...description });
    const transport = await open((text) => recorder.stderr(text));
    if (transport.pid !== undefined) recorder.process({ state: 'started', pid: transport.pid });
    void transport.ended?.then((end) => recorder.ended(end));
    return transport;
  };
  const { trace } = recorder;
  const panel = servePanel({
    agent: start,
    workspace: () => workspace,
    sessions: 'all',
    // A longer message would not fit into a request.
    limits: { listedSessions: maxListedSessions, messageCharacters: maxRequestBytes },
    connect: {
      ...connect,
      onDiagnostic: (diagnostic) => recorder.diagnostic(diagnostic),
      trace: {
        ...trace,
        write(record) {
          onRecord?.(record);
          trace.write(record);
        },
      },
    },
  });
  return { timeline, panel };
}

/** What starts, without its secrets. */
function describe(agent: AgentDescription): Omit<Note<'process'>, 'state'> {
  if ('url' in agent) return { url: withoutQueryValues(withoutUrlCredentials(agent.url)) };
  const { command, args = [], cwd, env = {} } = agent;
  return {
    command,
    args: withoutSecretArgs(args),
    ...(cwd !== undefined && { cwd }),
    env: Object.keys(env).map((name) => ({ name, value: placeholder })),
  };
}

const secretFlag = /^--?[\w-]*(?:key|token|secret|password|credential|auth)[\w-]*/i;

/** The arguments of a program without the values of options that look like secrets. */
function withoutSecretArgs(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const [flag] = secretFlag.exec(arg) ?? [];
    if (flag !== undefined && arg.startsWith(`${flag}=`)) return `${flag}=${placeholder}`;
    const before = args[index - 1];
    const isValue = before !== undefined && secretFlag.exec(before)?.[0] === before && !arg.startsWith('-');
    return isValue ? placeholder : withoutUrlCredentials(arg);
  });
}
