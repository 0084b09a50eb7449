import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { askedPlan } from '../../../src/core/conversation/asked-plan.ts';
import { diffConversation } from '../../../src/core/conversation/diff.ts';
import { newHistory, newTurn, placeNear } from '../../../src/core/conversation/history.ts';
import { applyPatch, type ConversationPatch } from '../../../src/core/conversation/patch.ts';
import { changedEntries } from '../../../src/core/conversation/select.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import {
  type AnyStore,
  createConversationStore,
  emptyConversation,
  foldUpdate,
} from '../../support/fold-any.ts';
import { goldenSections } from '../../support/golden-sections.ts';
import { message } from '../render/example.ts';

const empty = emptyConversation('s');
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Equal objects of all lines are one object, as those of a store that do not change. `base64:` is before what is encoded. */
const objects = new Map<string, unknown>();
const parse = (json: string) =>
  JSON.parse(json, (_, value) => {
    if (typeof value === 'string') return value.startsWith('base64:') ? btoa(value.slice(7)) : value;
    const text = JSON.stringify(value);
    if (!objects.has(text)) objects.set(text, value);
    return objects.get(text);
  });

/** What leads from one state to another one, for a program, for a page that draws it, and for its settings. */
function changesBetween(before: Conversation | undefined, after: Conversation): readonly string[] {
  const patch = diffConversation(before, after);
  expect(applyPatch(before, copyOf(patch))).toStrictEqual(after);
  const copy = before && copyOf(before);
  expect(applyPatch(copy, diffConversation(copy, copyOf(after)))).toEqual(after);
  const drawn = changedEntries(before, after);
  const plans = drawn.flatMap((entry) => (entry.kind === 'toolCall' && askedPlan(after, entry)) || []);
  const settings = settingsOf(after);
  return [
    ...patch.map((operation) => `  ${JSON.stringify(operation)}`),
    ...(drawn.length > 0 ? [`  draw ${drawn.map(({ key }) => key).join(' ')}`] : []),
    ...plans.map((plan) => `  asks for ${JSON.stringify(plan)}`),
    ...(isDeepStrictEqual(settings, settingsOf(before ?? empty))
      ? []
      : [`  settings ${JSON.stringify(settings)}`]),
  ];
}

/** The lines of a section, each followed by what it changes. */
function toldBy(lines: readonly string[]): readonly string[] {
  const told: string[] = [];
  const steps: Parameters<AnyStore['apply']>[] = [];
  let [start, loaded, replayed] = [empty, empty, empty];
  let shown: Conversation | undefined = empty;

  const show = (next: Conversation) => {
    told.push(...changesBetween(shown, next));
    shown = next;
  };
  const apply = (update: AnyUpdate, origin: 'live' | 'replay' = 'live') => {
    const before = shown ?? empty;
    const next = foldUpdate(before, update, { origin });
    expect(foldUpdate(copyOf(before), update, { origin })).toStrictEqual(next);
    steps.push([update, origin]);
    const store = createConversationStore(start);
    for (const step of steps) store.apply(...step);
    const known = [before, start].find((state) => isDeepStrictEqual(state, next));
    expect(store.getSnapshot()).toStrictEqual(next);
    if (known) expect(known === before ? next : store.getSnapshot()).toBe(known);
    show(next);
  };
  const merge = (find: typeof newHistory) => {
    const update = find(loaded, shown ?? empty, replayed);
    const { entries, terminals = [], completed = [], replaces } = update;
    const keys = (all: typeof entries) => all.map(({ key }) => key);
    const ids = terminals.map(({ terminalId }) => terminalId);
    const found = { entries: keys(entries), terminals: ids, completed: keys(completed), replaces };
    told.push(`  found ${JSON.stringify(found)}`);
    apply(update, 'replay');
  };

  const commands: Readonly<Record<string, (value: never) => void>> = {
    known(update: AnyUpdate) {
      const { length } = told;
      apply(update);
      told.length = length;
    },
    live: (update: AnyUpdate) => apply(update),
    state(fields: Partial<Conversation>) {
      start = { ...empty, ...fields };
      steps.length = 0;
      show(start);
    },
    nothing() {
      shown = undefined;
    },
    patch(patch: ConversationPatch) {
      try {
        show(applyPatch(shown, patch));
      } catch (error) {
        told.push(`  ${error}`);
      }
    },
    load() {
      loaded = shown ?? empty;
      replayed = empty;
    },
    replayed(update: AnyUpdate) {
      replayed = foldUpdate(replayed, update, { origin: 'replay' });
    },
    history: () => merge(newHistory),
    turn: () => merge(newTurn),
  };

  for (const line of lines) {
    told.push(line);
    const [, name = '', sessionUpdate, json = 'null'] = /^> (\w+)(?: (\w+_\w+))?(?: (.*))?$/.exec(line) ?? [];
    const value = parse(json);
    commands[name]?.((sessionUpdate === undefined ? value : { sessionUpdate, ...value }) as never);
  }
  return told;
}

/**
 * A section of the golden file has lines that are given, which begin with `>`: an update that is known, live or replayed, a
 * whole state, a patch of another process, a load, and what its replay adds as history or at the end of a turn. What they
 * change follows them, except what was known: the operations of the patch, the entries to draw, the plans that tool calls ask
 * for, and the settings.
 */
const sections = goldenSections(new URL('golden/patches.txt', import.meta.url));

test('each step changes a conversation as the golden file says, alone and together with those before', async () => {
  const told = sections.flatMap(([title, given]) => [`# ${title}`, ...toldBy(given)]);
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('golden/patches.txt');
});

test('a place is looked for from another one on', () => {
  const sought: number[] = [];
  const entries = [message('user'), message('agent'), message('user')];
  const place = placeNear(entries, 1, (_, index) => sought.push(index) === 2);
  expect([place, sought]).toEqual([2, [1, 2]]);
});

test('a conversation has at most 10,000 cursors, and the oldest one makes room', () => {
  const cursor = {
    cursorId: 'new',
    anchor: { type: '_x' as const },
    capabilities: null,
    meta: null,
  };
  const cursors = Array.from({ length: 10_000 }, (_, at) => ({ ...cursor, cursorId: `c${at}` }));
  const next = foldUpdate({ ...empty, cursors }, { ...cursor, sessionUpdate: 'cursor_update' });
  expect(next.cursors).toEqual([...cursors.slice(1), cursor]);
});
