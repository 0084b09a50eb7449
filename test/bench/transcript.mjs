import { createHash } from 'node:crypto';

/**
 * What a corpus says, kept by the generator beside the updates that say it, and compared with what a client made of
 * those. Written without a look at the library's fold.
 */
export class Transcript {
  #entries = [];
  usage = null;
  title = null;

  /** Begins a message; its text is pushed to what is returned. */
  message(role, messageId) {
    const text = [];
    this.#entries.push(() => [`message ${role} ${messageId}`, text.join('')]);
    return text;
  }

  /** Begins a tool call; what is returned is changed as the call changes. */
  toolCall(toolCallId) {
    const call = { title: null, status: 'pending', text: [] };
    this.#entries.push(() => [`toolCall ${toolCallId} ${call.title} ${call.status}`, call.text.join('')]);
    return call;
  }

  digest() {
    const entries = this.#entries.map((entry) => entry());
    return digest(entries, this.usage, this.title);
  }
}

/** The same of a folded conversation. */
export function digestOf({ entries, usage, info }) {
  return digest(
    entries.map((entry) => {
      if (entry.kind === 'message') {
        return [`message ${entry.role} ${entry.messageId}`, entry.content.map(({ text }) => text).join('')];
      }
      const { toolCallId, title, status, content } = entry;
      return [`${entry.kind} ${toolCallId} ${title} ${status}`, content.map(textOfItem).join('')];
    }),
    usage?.used ?? null,
    info.title,
  );
}

function textOfItem(item) {
  if (item.type === 'content') return item.content.text;
  const changed = item.changes.map(({ oldText, newText }) => (oldText ?? '') + (newText ?? ''));
  return changed.join('') + (item.patch?.text ?? '');
}

function digest(entries, usage, title) {
  const hash = createHash('sha256');
  let characters = 0;
  for (const [name, text] of entries) {
    hash.update(`${name}\n${text.length}\n`);
    hash.update(text);
    characters += text.length;
  }
  hash.update(JSON.stringify([usage, title]));
  return {
    entries: entries.length,
    characters,
    sha256: hash.digest('hex'),
  };
}
