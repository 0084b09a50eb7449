import type { AGUIEvent } from '@ag-ui/client';
import { joinTexts } from '../../core/conversation/text-blocks.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type { CompactionEntry, SessionMessageEntry } from '../../core/model/conversation.ts';
import type { EarlierEntries } from './earlier-entries.ts';
import { activityDelta, activitySnapshot } from './event.ts';
import { compactionActivity, sessionMessageActivity } from './messages.ts';
import { partOf } from './parts.ts';

type Growing = CompactionEntry | SessionMessageEntry;

interface Shown {
  readonly entry: Growing;
  readonly blocks: ContentBlock[];
  /** Whether blocks were appended since the whole was sent. */
  hasGrown: boolean;
}

const activityTypes = { compaction: 'acp.compaction', sessionMessage: 'acp.sessionMessage' } as const;
const lists = { compaction: '/summary/-', sessionMessage: '/parts/-' } as const;

/** The activity messages of a turn that grow block by block: summaries, and messages between sessions. */
export class GrowingActivities {
  readonly #shown = new Map<string, Shown>();
  readonly #earlier: EarlierEntries;

  constructor(earlier: EarlierEntries) {
    this.#earlier = earlier;
  }

  put(entry: Growing): readonly AGUIEvent[] {
    this.#take(entry);
    return [snapshotOf(entry)];
  }

  append(key: string, block: ContentBlock): readonly AGUIEvent[] {
    const shown = this.#shown.get(key) ?? this.#takeEarlier(key);
    if (!shown) return [];
    shown.blocks.push(block);
    shown.hasGrown = true;
    const { kind } = shown.entry;
    return activityDelta(key, activityTypes[kind], [{ op: 'add', path: lists[kind], value: partOf(block) }]);
  }

  /** Joins the texts that follow each other, as a conversation has them. */
  finish(): readonly AGUIEvent[] {
    return [...this.#shown.values()].flatMap(({ entry, blocks, hasGrown }) =>
      hasGrown ? [snapshotOf(grown(entry, joinTexts(blocks)))] : [],
    );
  }

  #takeEarlier(key: string): Shown | undefined {
    const entry = this.#earlier.find(key, 'compaction') ?? this.#earlier.find(key, 'sessionMessage');
    return entry && this.#take(entry);
  }

  #take(entry: Growing): Shown {
    const blocks = [...(entry.kind === 'compaction' ? entry.summary : entry.content)];
    const shown = { entry, blocks, hasGrown: false };
    this.#shown.set(entry.key, shown);
    return shown;
  }
}

function grown(entry: Growing, content: readonly ContentBlock[]): Growing {
  return entry.kind === 'compaction' ? { ...entry, summary: content } : { ...entry, content };
}

function snapshotOf(entry: Growing): AGUIEvent {
  return activitySnapshot(
    entry.kind === 'compaction' ? compactionActivity(entry) : sessionMessageActivity(entry),
  );
}
