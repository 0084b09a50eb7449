import assert from 'node:assert/strict';
import { changedEntries, createConversationStore, emptyConversation } from '../../../dist/conversation.js';
import { createCorpus } from '../corpora.mjs';

const rounds = 200;

/** What it costs to read a long transcript again after one entry of it changed, and to find that one. */
export function measure({ entries }) {
  const store = createConversationStore(emptyConversation('reading'));
  for (const update of createCorpus('v2-entries', entries + 1).updates) store.apply(update);
  let previous = store.getSnapshot();
  assert.equal(previous.entries.length, entries);
  const readMs = [];
  const findMs = [];
  const text = (round) => [{ type: 'text', text: `changed in round ${round}` }];
  for (let round = 0; round < rounds; round++) {
    const place = (round * 7919) % entries;
    const { kind, role, messageId } = previous.entries[place];
    if (kind !== 'message') continue;
    store.apply({ sessionUpdate: `${role}_message`, messageId, content: text(round) });
    const start = performance.now();
    const next = store.getSnapshot();
    const { length } = next.entries;
    const read = performance.now();
    const changed = changedEntries(previous, next);
    const found = performance.now();
    readMs.push(read - start);
    findMs.push(found - read);
    assert.equal(length, entries);
    assert.deepEqual(changed, [next.entries[place]]);
    assert.ok(next.entries.every((entry, at) => (entry === previous.entries[at]) === (at !== place)));
    previous = next;
  }
  return { entries, readMs: summary(readMs), findMs: summary(findMs) };
}

function summary(samples) {
  samples.sort((a, b) => a - b);
  return { median: samples[Math.floor(samples.length / 2)], longest: samples.at(-1) };
}
