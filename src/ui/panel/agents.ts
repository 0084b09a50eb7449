import { printable, shortened } from '../../core/base/printable.ts';
import { withLimits } from '../../core/base/wait.ts';
import { checkAgents, type PanelAgent, type PanelAgentStatus } from './agent-choice.ts';
import type { PanelEditor, PanelOptions } from './options.ts';
import { panelError } from './panel-error.ts';
import type { ProblemReports } from './problem-reports.ts';
import { refused } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import type { PanelAgentChoice } from './state.ts';

/** How long the login of one agent may be looked up, in milliseconds. */
const probeTimeoutMs = 20_000;

/** How many agents are looked up at the same time: each is a program that starts. */
const probesAtOnce = 2;

/** The maximum length of a name and of another text of an agent, in characters. */
const maxNameLength = 100;
const maxTextLength = 1000;

/** The agents that the user can choose from: what is known of each, and which one is chosen. */
export class AgentList {
  readonly #options: PanelOptions;
  readonly #runner: MachineRunner;
  readonly #problems: ProblemReports;
  readonly #statuses = new Map<string, PanelAgentStatus>();
  #agents: readonly PanelAgent[] = [];
  /** `undefined`: what the memory has. */
  #chosenId: string | null | undefined;
  /** `null`: none. `undefined`: nothing was to be started yet. */
  #startedId: string | null | undefined;
  #probing: Promise<void> | undefined;
  #probes = new AbortController();

  constructor(options: PanelOptions, runner: MachineRunner, problems: ProblemReports) {
    this.#options = options;
    this.#runner = runner;
    this.#problems = problems;
  }

  /** The agent that is chosen. A list of one agent needs no choice. */
  get chosen(): PanelAgent | undefined {
    const [only] = this.#agents;
    if (this.#agents.length === 1) return only;
    return this.#agents.find(({ id }) => id === this.#chosen());
  }

  /** The login in a terminal, for the agent that is chosen. */
  get loginInTerminal(): PanelEditor['loginInTerminal'] {
    const { editor } = this.#options;
    const run = editor?.loginInTerminal?.bind(editor);
    return run && ((method) => run(method, this.chosen));
  }

  /**
   * Reads the list again, and returns what starts the agent. `undefined`: the user has to choose one.
   *
   * @param signal - Ends the wait for the editor's function, which may never settle.
   */
  async toStart(signal: AbortSignal): Promise<PanelOptions['agent']> {
    await withLimits(this.load(), { signal });
    const id = this.chosen?.id ?? null;
    // The list can have changed, such as when it follows a setting.
    const isChanged = this.#startedId !== undefined && this.#startedId !== id;
    if (isChanged) this.#runner.dispatch({ type: 'agent_changed' });
    this.#startedId = id;
    return this.#options.agent ?? this.chosen?.start;
  }

  /** Throws if the user has to choose an agent first. */
  assertChosen(): void {
    if (this.#options.agent || this.chosen) return;
    throw panelError('panel.agent', 'No agent is chosen. Choose one first.');
  }

  /** Reads the list again. */
  async load(): Promise<void> {
    const { agents } = this.#options;
    if (agents === undefined) return;
    const list = typeof agents === 'function' ? await agents() : agents;
    this.#agents = checkAgents(list);
    this.#tell();
  }

  /**
   * Chooses an agent for this start and the next ones. `null`: none.
   *
   * @throws a refusal if the list does not have the agent.
   */
  choose(id: string | null): void {
    const isListed = id === null || this.#agents.some((agent) => agent.id === id);
    if (!isListed) throw refused('The panel does not list this agent. List the agents again.');
    this.stop();
    this.#chosenId = id;
    const remember = async () => this.#options.memory?.setAgent?.(id ?? undefined);
    remember().catch((error: unknown) => this.#problems.fault(error));
    this.#tell();
  }

  /** Reads the list again, and looks up the login of each agent that is installed. Calls at the same time share it. */
  refresh(): Promise<void> {
    if (this.#probing) return this.#probing;
    const probing = this.#refresh().finally(() => {
      if (this.#probing === probing) this.#probing = undefined;
    });
    this.#probing = probing;
    return probing;
  }

  /** Ends the look-ups. */
  stop(): void {
    this.#probes.abort();
    this.#probes = new AbortController();
    // A page that asks now does not share them.
    this.#probing = undefined;
  }

  async #refresh(): Promise<void> {
    const { signal } = this.#probes;
    await this.load();
    const waiting = this.#agents.filter(({ isInstalled }) => isInstalled !== false);
    const work = async () => {
      for (let agent = waiting.shift(); agent && !signal.aborted; agent = waiting.shift()) {
        await this.#probe(agent, signal);
      }
    };
    await Promise.all(Array.from({ length: probesAtOnce }, work));
  }

  async #probe({ id, probe }: PanelAgent, stopped: AbortSignal): Promise<void> {
    if (!probe) return;
    const control = new AbortController();
    try {
      const status = await withLimits(probe(control.signal), {
        timeoutMs: probeTimeoutMs,
        timeoutError: () => new Error(`The agent ${id} was not looked up within ${probeTimeoutMs / 1000} s.`),
        signal: stopped,
        onLimit: () => control.abort(),
      });
      this.#statuses.set(id, status);
      this.#tell();
    } catch (error) {
      if (!stopped.aborted) this.#problems.fault(error);
    }
  }

  #chosen(): string | null {
    if (this.#chosenId === undefined) {
      try {
        this.#chosenId = this.#options.memory?.getAgent?.() ?? null;
      } catch (error) {
        this.#chosenId = null;
        this.#problems.fault(error);
      }
    }
    return this.#chosenId;
  }

  #tell(): void {
    const { chosen } = this;
    const agents = this.#agents.map((agent) =>
      choiceOf(agent, this.#statuses.get(agent.id), agent === chosen),
    );
    this.#runner.dispatch({ type: 'agents_listed', agents });
  }
}

function choiceOf(
  agent: PanelAgent,
  status: PanelAgentStatus | undefined,
  isChosen: boolean,
): PanelAgentChoice {
  // In JavaScript it can be anything.
  const text = (value: unknown) =>
    typeof value === 'string' ? shortened(printable(value), maxTextLength) : null;
  return {
    id: agent.id,
    name: shortened(printable(agent.name), maxNameLength),
    description: text(agent.description),
    isInstalled: status?.isInstalled ?? agent.isInstalled ?? null,
    installedVersion: text(status?.version),
    testedVersion: text(agent.testedVersion),
    installCommand: text(agent.installCommand),
    note: text(agent.note),
    login: status?.login ?? 'unknown',
    isChosen,
  };
}
