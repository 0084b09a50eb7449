import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { diffConversation } from '../../src/core/conversation/diff.ts';
import { applyPatch } from '../../src/core/conversation/patch.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { type ScriptedAgent, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { messageWriter } from '../../src/ui/ai-sdk/message-writer.ts';
import { markdownBlocks } from '../../src/ui/markdown/markdown.ts';
import { everything } from '../support/agents.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { createConversationStore, emptyConversation } from '../support/fold-any.ts';
import { mergeConversations } from '../support/merged-recordings.ts';
import { shapes as publishedShapes } from './growth/shapes.ts';
import { type Stage, type StageName, stages, testGrowth } from './growth/stages.ts';

/** Work of a size, after what it needs was prepared. */
type Work = () => unknown;

/** An input that can have any size. */
interface Shape {
  readonly name: string;
  /** So large that the work takes some 10 ms: less cannot be told from other work of the process. */
  readonly size: number;
  readonly prepare: (size: number) => Work | Promise<Work>;
}

const sessionId = 's1';
const count = <T>(size: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: size }, (_, index) => item(index));

interface Opened {
  readonly agent: ScriptedAgent;
  readonly session: Session;
}

async function open(dialect: DialectName): Promise<Opened> {
  const agent = scriptedAgent().on('initialize', everything[dialect]).on('session/new', { sessionId });
  const connection = await connect(agent.transport, {
    clientInfo: { name: 'growth', version: '0' },
    onDiagnostic() {},
    handlers: {
      elicit: { form: () => ({ action: 'decline' }), url: () => ({ action: 'decline' }) },
      extensions: { _flush: () => null },
    },
  });
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd: '/home/user/project' });
  // A view that draws after each batch.
  session.store.subscribe(() => session.conversation);
  return { agent, session };
}

/** An agent that sends these lines. The work ends when the client has handled all of them. */
async function sends(dialect: DialectName, lines: readonly string[]): Promise<Work> {
  const { agent } = await open(dialect);
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return () => {
    agent.channel.write(bytes);
    return agent.request('_flush');
  };
}

const line = (update: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":${update}}}`;
const updates = (size: number, update: (index: number) => object) =>
  sends(
    'v2-baseline',
    count(size, (index) => line(JSON.stringify(update(index)))),
  );
const oneUpdate = (json: string) =>
  sends('v1', [line(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","rawInput":${json}}`)]);

const text = (text: string) => ({ type: 'text', text }) as const;

/** What test/laws/growth does not measure at each of its stages. */
const shapes: readonly Shape[] = [
  {
    name: 'messages of an answer for AI SDK',
    size: 4000,
    prepare: (size) => {
      const writer = messageWriter(() => {});
      return () => count(size, (index) => writer.append(`m${index}`, 'agent', 'x'));
    },
  },
  {
    name: 'items of an array',
    size: 300_000,
    prepare: (size) => oneUpdate(`[0${',0'.repeat(size)}]`),
  },
  {
    name: 'keys of an object',
    size: 30_000,
    prepare: (size) => oneUpdate(`{${count(size, (index) => `"k${index}":1`).join()}}`),
  },
  {
    name: 'levels of nesting',
    // With more, the garbage collection of V8 takes longer than the work.
    size: 50_000,
    prepare: (size) => oneUpdate('['.repeat(size) + ']'.repeat(size)),
  },
  {
    name: 'characters of a text',
    size: 4_000_000,
    prepare: (size) => oneUpdate(`"${'\\n'.repeat(size)}"`),
  },
  {
    name: 'items of an unknown notification',
    size: 300_000,
    prepare: (size) => sends('v1', [`{"jsonrpc":"2.0","method":"_x","params":[0${',0'.repeat(size)}]}`]),
  },
  {
    name: 'lines that are no messages',
    size: 10_000,
    prepare: (size) =>
      sends(
        'v1',
        count(size, (index) => `[noise ${index}`),
      ),
  },
  {
    name: 'commands of the client',
    size: 2000,
    prepare: (size) =>
      updates(size, (index) => ({
        sessionUpdate: 'terminal_started',
        terminalId: `x${index}`,
        command: 'x',
        argv: null,
        cwd: null,
      })),
  },
  {
    name: 'fields of a form',
    size: 5000,
    prepare: async (size) => {
      const { agent } = await open('v1');
      const properties = Object.fromEntries(
        count(size, (index) => [`f${index}`, { type: 'string', title: `${index}` }]),
      );
      const requestedSchema = { type: 'object', properties, required: Object.keys(properties) };
      return () =>
        agent.request('elicitation/create', { sessionId, mode: 'form', message: 'x', requestedSchema });
    },
  },
  {
    name: 'secrets in a message of the agent',
    size: 400,
    prepare: async (size) => {
      const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId });
      const connection = await connect(agent.transport, {
        clientInfo: { name: 'growth', version: '0' },
        onDiagnostic() {},
        trace: { write() {} },
        handlers: { extensions: { _flush: () => null } },
      });
      onTestFinished(() => connection.close());
      const env = count(size, (index) => ({ name: `KEY${index}`, value: `secret-number-${index}` }));
      await connection.newSession({
        cwd: '/home/user/project',
        mcpServers: [{ type: 'stdio', name: 'x', command: '/x', args: [], env }],
      });
      const repeated = Buffer.from(
        `${line(JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: text(JSON.stringify(env).repeat(200)) }))}\n`,
      );
      return () => {
        agent.channel.write(repeated);
        return agent.request('_flush');
      };
    },
  },
  {
    name: 'changes of the last of as many entries',
    size: 20_000,
    prepare: (size) => {
      const store = createConversationStore(emptyConversation(sessionId));
      const write = (index: number) =>
        store.apply({ sessionUpdate: 'agent_message_chunk', messageId: `m${index}`, content: text('word ') });
      for (let index = 0; index < size; index++) write(index);
      const before = store.getSnapshot();
      write(size - 1);
      const after = store.getSnapshot();
      return () => {
        for (let time = 0; time < size; time++) diffConversation(before, after);
      };
    },
  },
  {
    name: 'entries under one key in two records',
    size: 20_000,
    prepare: (size) => {
      const record = (length: number): Conversation => ({
        ...emptyConversation(sessionId),
        entries: count(length, (index) => ({
          kind: 'message',
          key: 'same',
          role: 'agent',
          messageId: null,
          content: [{ type: 'text', text: `${index}` }],
          origin: 'live',
          meta: null,
        })),
      });
      const [older, newer] = [record(size), record(1)];
      return () => mergeConversations(older, newer);
    },
  },
  {
    name: 'short paragraphs of Markdown, each in a piece of its own',
    size: 8000,
    prepare: (size) => () => {
      const blocksOf = markdownBlocks();
      const text = 'a\n\n'.repeat(size);
      for (let end = 3; end <= text.length; end += 3) blocksOf(text.slice(0, end));
    },
  },
  {
    name: 'names in Markdown that get addresses one by one',
    size: 100,
    prepare: (size) => () => {
      const blocksOf = markdownBlocks();
      const names = count(size, (index) => `[n${index}]`);
      let text = `${count(10, () => names.join(' ')).join('\n\n')}\n\n`;
      for (const name of names) {
        text += `${name}: https://a.example\n\nnext\n\n`;
        for (const { html } of blocksOf(text)) html.toString();
      }
    },
  },
  {
    name: 'entries that steps of a patch insert at the start',
    size: 10_000,
    prepare: (size) => {
      const insert = count(
        size,
        (index) => ({ op: 'splice', path: ['entries'], at: 0, remove: 0, insert: [index] }) as const,
      );
      return () => applyPatch(emptyConversation(sessionId), insert);
    },
  },
];

async function cpuMsOf({ prepare }: Shape, size: number): Promise<number> {
  const work = await prepare(size);
  const before = cpuMs();
  await work();
  return cpuMs() - before;
}

const maxGrowth = 3;
const maxRounds = 6;

/**
 * CPU time, because a test that waits for another process must not fail. What is quadratic takes four times as much. The
 * runs of a round follow each other, so that the load of the machine is the same for both sizes in one of the rounds.
 */
test.each(shapes)(
  '[security: linear-time] twice as many $name take at most three times the time',
  async (shape) => {
    const rounds: string[] = [];
    let growth = Number.POSITIVE_INFINITY;
    while (rounds.length < maxRounds && growth > maxGrowth) {
      // The first runs also compile the code.
      const once: number[] = [];
      for (let run = 0; run < 3; run++) once.push(await cpuMsOf(shape, shape.size));
      const twice = await cpuMsOf(shape, 2 * shape.size);
      growth = Math.min(growth, twice / Math.min(...once));
      rounds.push(`${once.map((ms) => ms.toFixed()).join(' ')} → ${twice.toFixed()} ms`);
    }
    if (process.env['GROWTH_TIMES']) process.stderr.write(`${shape.name}: ${rounds.join(', ')}\n`);
    expect(growth, rounds.join(', ')).toBeLessThanOrEqual(maxGrowth);
  },
);

/** For one stage, as in `GROWTH_STAGE=mirror`. */
const chosen = process.env['GROWTH_STAGE'] ?? '';

/** The stages that are judged, each with its function. */
const judged = (Object.entries(stages) as [StageName, Stage][]).filter(([name]) => name.includes(chosen));

describe.each(judged)('%s', (name, stage) => testGrowth(name, stage, publishedShapes));
