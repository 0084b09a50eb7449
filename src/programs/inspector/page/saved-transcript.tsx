import type { TranscriptItem } from '../timeline/items.ts';
import { dateText } from './rows.ts';

/** What is beside a saved transcript, in place of the messages. */
export function SavedTranscript({ item }: { readonly item: TranscriptItem }) {
  const { agent, cwd, updatedAt, isDamaged } = item;
  return (
    <div class="page saved">
      <p>
        This file is a saved transcript: it has the conversation, and not the messages between the client and
        the agent.
      </p>
      {isDamaged && (
        <p class="damaged" role="alert">
          A line of the file is damaged. The transcript ends before it.
        </p>
      )}
      <dl class="facts-list">
        {agent && (
          <>
            <dt>Agent</dt>
            <dd>
              {agent.title ?? agent.name} {agent.version}
            </dd>
          </>
        )}
        {cwd && (
          <>
            <dt>Directory</dt>
            <dd>{cwd}</dd>
          </>
        )}
        {updatedAt && (
          <>
            <dt>Changed</dt>
            <dd>{dateText(updatedAt)}</dd>
          </>
        )}
        <dt>Messages</dt>
        <dd>
          none in a transcript. <code>--trace FILE</code> records them while the agent runs.
        </dd>
      </dl>
    </div>
  );
}
