import { onAbort } from '../base/wait.ts';
import type { VsCode, VsCodePickItem, VsCodeQuickInput } from './api.ts';

/** What a prompt shows besides its items. */
export interface PromptText {
  readonly title: string;
  readonly placeholder: string;
  /** The number of this prompt and of all, if there are several. */
  readonly step?: readonly [step: number, steps: number] | undefined;
}

/** The last question of each window: two agents of an extension share it. */
const last = new WeakMap<VsCode['window'], Promise<unknown>>();

/** Shows one question at a time: VS Code has one place for them, and a second one would dismiss the first. */
export class Prompts {
  readonly #vscode: VsCode;

  constructor(vscode: VsCode) {
    this.#vscode = vscode;
  }

  /** Runs `ask` when no other question is shown. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const { window } = this.#vscode;
    const asked = (last.get(window) ?? Promise.resolve()).then(ask);
    const settled = asked.catch(() => {});
    last.set(window, settled);
    return asked;
  }

  /** Resolves with the chosen item, or with `undefined` if the user dismissed the list or `signal` was aborted. */
  choose<T extends VsCodePickItem>(
    text: PromptText,
    items: readonly T[],
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> {
    const pick = this.#vscode.window.createQuickPick<T>();
    pick.items = items;
    return shown(pick, text, signal, () => pick.selectedItems[0]);
  }

  /** As {@link choose}, for any number of items. */
  chooseSeveral<T extends VsCodePickItem>(
    text: PromptText,
    list: {
      readonly items: readonly T[];
      readonly picked: readonly T[];
      readonly check: Check<readonly T[]>;
    },
    signal: AbortSignal | undefined,
  ): Promise<readonly T[] | undefined> {
    const pick = this.#vscode.window.createQuickPick<T>();
    pick.canSelectMany = true;
    pick.items = list.items;
    pick.selectedItems = list.picked;
    return shown(pick, text, signal, () => {
      const problem = list.check(pick.selectedItems);
      if (problem === undefined) return pick.selectedItems;
      pick.title = `${text.title} (${problem})`;
      return undefined;
    });
  }

  /** Resolves with the text, or with `undefined` as {@link choose} does. */
  enter(
    text: PromptText,
    input: { readonly prompt: string; readonly value: string; readonly check: Check<string> },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const box = this.#vscode.window.createInputBox();
    box.prompt = input.prompt;
    box.value = input.value;
    const validate = () => {
      const problem = input.check(box.value);
      box.validationMessage = problem;
      return problem;
    };
    const listener = box.onDidChangeValue(validate);
    const accept = () => (validate() === undefined ? box.value : undefined);
    return shown(box, text, signal, accept).finally(() => listener.dispose());
  }
}

/** What is wrong with a value, if anything is. */
export type Check<T> = (value: T) => string | undefined;

/**
 * Shows a list or an input box. `accept` returns the value, or `undefined` to leave it open. Nothing stays after it was
 * settled.
 */
function shown<T>(
  input: VsCodeQuickInput,
  { title, placeholder, step }: PromptText,
  signal: AbortSignal | undefined,
  accept: () => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    input.title = title;
    input.placeholder = placeholder;
    [input.step, input.totalSteps] = step ?? [];
    // Otherwise a click into the editor would be an answer.
    input.ignoreFocusOut = true;
    const settle = (value: T | undefined) => {
      stopListening();
      resolve(value);
      input.dispose();
    };
    const stopListening = onAbort(signal, () => settle(undefined));
    input.onDidAccept(() => {
      const value = accept();
      if (value !== undefined) settle(value);
    });
    input.onDidHide(() => settle(undefined));
    if (signal?.aborted) settle(undefined);
    else input.show();
  });
}
