import type { ServedPanel } from '../panel/serve.ts';
import type { PanelState } from '../panel/state.ts';
import type { VsCode, VsCodeDisposable } from './api.ts';
import { label } from './label.ts';

/** What the item shows in a phase. */
const phases = {
  disconnected: { icon: '$(debug-disconnect)', what: 'is not connected' },
  starting: { icon: '$(loading~spin)', what: 'is starting' },
  open: { icon: '$(pass)', what: 'is ready' },
  reconnecting: { icon: '$(loading~spin)', what: 'is being started again' },
  closed: { icon: '$(error)', what: 'does not run' },
} as const satisfies Record<PanelState['phase'], { readonly icon: string; readonly what: string }>;

/**
 * Shows the state of a panel in the status bar: whether the agent runs, works, or waits for an answer of the user.
 *
 * @param vscode - The module `vscode`.
 * @param panel - What `servePanel` returned, or the `panel` of {@link agentView}.
 *
 * @example
 * ```ts
 * context.subscriptions.push(agentStatusItem(vscode, view.panel, { command: 'myPanel.view.focus' }));
 * ```
 */
export function agentStatusItem(
  vscode: VsCode,
  panel: Pick<ServedPanel, 'state' | 'subscribe'>,
  options: {
    /** The command that a click runs, such as `myPanel.view.focus`. Default: nothing happens. */
    readonly command?: string | undefined;
  } = {},
): VsCodeDisposable {
  const item = vscode.window.createStatusBarItem('acp-client-sdk.agent', vscode.StatusBarAlignment.Left, 0);
  item.name = 'Agent';
  item.command = options.command;
  const show = () => {
    const { state } = panel;
    const name = label(state.agent?.title ?? state.agent?.name ?? 'Agent');
    const { icon, what } = activityOf(state);
    item.text = `${icon} ${name}`;
    item.tooltip = state.problem ? `${name} ${what}. ${label(state.problem.message)}` : `${name} ${what}.`;
    const color =
      state.phase === 'closed' ? 'statusBarItem.errorBackground' : 'statusBarItem.warningBackground';
    const isUrgent = (state.phase === 'closed' && !hasToChoose(state)) || questionsOf(state) > 0;
    item.backgroundColor = isUrgent ? new vscode.ThemeColor(color) : undefined;
  };
  const unsubscribe = panel.subscribe(show);
  show();
  item.show();
  return {
    dispose() {
      unsubscribe();
      item.dispose();
    },
  };
}

/** Whether the agent does not run because the user has not chosen one. */
function hasToChoose({ phase, problem, agents }: PanelState): boolean {
  return (
    phase === 'closed' && problem === null && agents.length > 0 && !agents.some(({ isChosen }) => isChosen)
  );
}

function activityOf(state: PanelState): { readonly icon: string; readonly what: string } {
  if (hasToChoose(state)) return { icon: '$(circle-large-outline)', what: 'is not chosen yet' };
  if (state.phase !== 'open') return phases[state.phase];
  const questions = questionsOf(state);
  if (questions > 0) {
    const count = questions === 1 ? 'an answer' : `${questions} answers`;
    return { icon: '$(bell-dot)', what: `waits for ${count}` };
  }
  const isWorking = state.conversation !== null && state.conversation.activity.state !== 'idle';
  return isWorking ? { icon: '$(sync~spin)', what: 'is working' } : phases.open;
}

function questionsOf({ questions, waiting }: PanelState): number {
  return waiting.reduce((sum, { count }) => sum + count, questions.length);
}
