import { createHash } from 'node:crypto';

/**
 * What a corpus says, kept by the generator beside the updates that say it, and compared with what a client made of
 * those. Written without a look at the library's fold.
 */
export class Transcript {
  #entries = [];
  #terminals = [];
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

  /** Begins a terminal; the bytes it prints are pushed to what is returned. */
  terminal(terminalId) {
    const printed = [];
    this.#terminals.push(() => {
      const all = Buffer.concat(printed);
      const excess = Math.max(0, all.length - maxTerminalBytes);
      let dropped = Math.ceil(excess / droppedAtOnce) * droppedAtOnce;
      // The rest of a character is dropped with it.
      while ((all[dropped] & 0xc0) === 0x80) dropped++;
      return [`terminal ${terminalId} ${dropped}`, all.toString('utf8', dropped)];
    });
    return printed;
  }

  digest() {
    const entries = this.#entries.map((entry) => entry());
    const terminals = this.#terminals.map((terminal) => terminal());
    return digest(entries, terminals, this.usage, this.title);
  }
}

/** The library documents these limits; they are repeated here so that a change of them shows. */
const maxTerminalBytes = 1024 * 1024;
const droppedAtOnce = 64 * 1024;

/** The same of a folded conversation. */
export function digestOf({ entries, terminals, usage, info }) {
  return digest(
    entries.map((entry) => {
      if (entry.kind === 'message') {
        return [`message ${entry.role} ${entry.messageId}`, entry.content.map(({ text }) => text).join('')];
      }
      const { toolCallId, title, status, content } = entry;
      return [`${entry.kind} ${toolCallId} ${title} ${status}`, content.map(textOfItem).join('')];
    }),
    Object.values(terminals).map((terminal) => {
      const { droppedBytes, output } = outputOf(terminal);
      return [`terminal ${terminal.terminalId} ${droppedBytes}`, output];
    }),
    usage?.used ?? null,
    info.title,
  );
}

/** A build that is compared can be from before the output was text: its `bytes` have one character for each byte. */
function outputOf({ droppedBytes, output, bytes }) {
  if (output !== undefined) return { droppedBytes, output };
  const all = Buffer.from(bytes, 'latin1');
  let rest = 0;
  while ((all[rest] & 0xc0) === 0x80) rest++;
  return { droppedBytes: droppedBytes + rest, output: all.toString('utf8', rest) };
}

function textOfItem(item) {
  if (item.type === 'content') return item.content.text;
  const changed = item.changes.map(({ oldText, newText }) => (oldText ?? '') + (newText ?? ''));
  return changed.join('') + (item.patch?.text ?? '');
}

function digest(entries, terminals, usage, title) {
  const hash = createHash('sha256');
  let characters = 0;
  for (const [name, text] of [...entries, ...terminals]) {
    hash.update(`${name}\n${text.length}\n`);
    hash.update(text);
    characters += text.length;
  }
  hash.update(JSON.stringify([usage, title]));
  return {
    entries: entries.length,
    terminals: terminals.length,
    characters,
    sha256: hash.digest('hex'),
  };
}
