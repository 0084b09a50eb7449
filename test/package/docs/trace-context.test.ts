import * as otel from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { CallMeta } from '../../../src/core/client/calls/outgoing-calls.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { PromptResult } from '../../../src/core/client/session/turn.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { settle } from '../../support/agents.ts';
import { cwd, flush, openSession } from '../../support/open-session.ts';
import { neverComesMs } from '../../support/time.ts';
import { loadRecipes } from './recipe-code.ts';

/** What the recipe exports. */
interface Recipe {
  readonly traceCall: CallMeta;
  tracedTurn(session: Session, ...prompt: Parameters<Session['prompt']>): Promise<PromptResult>;
}

let recipe: Recipe;
let remove = async () => {};
beforeAll(async () => {
  ({ recipes: recipe, remove } = await loadRecipes<Recipe>());
});
afterAll(() => remove());

/** Connects with the recipe, and traces the session that is opened. */
async function traced(script: (agent: ScriptedAgent) => unknown = () => {}) {
  const opened = await openSession('v1', { connect: { callMeta: recipe.traceCall }, script });
  const prompt = (...given: Parameters<Session['prompt']>) => recipe.tracedTurn(opened.session, ...given);
  return { ...opened, prompt };
}

type Step = JsonObject | ((agent: ScriptedAgent) => unknown);

/** An answer to a prompt: the agent does these steps, and ends the turn. */
const works =
  (steps: readonly Step[], stopReason = 'end_turn') =>
  async (params: JsonObject, agent: ScriptedAgent) => {
    const sessionId = String(params['sessionId']);
    for (const step of steps) {
      if (typeof step === 'function') await step(agent);
      else agent.update(sessionId, step);
    }
    return { stopReason };
  };

const toolCall = (toolCallId: string, fields: JsonObject = {}): JsonObject => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'Read notes.md',
  kind: 'read',
  status: 'in_progress',
  ...fields,
});
const toolCallEnds = (toolCallId: string, status: string): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status,
});

test('without an SDK, the recipe sends nothing and changes nothing', async () => {
  const { agent, prompt, diagnostics } = await traced((agent) =>
    agent.on('session/prompt', works([toolCall('t1'), toolCallEnds('t1', 'completed')])),
  );
  expect(await prompt('Hi.')).toMatchObject({ stopReason: 'end_turn' });
  const sent = agent.received.map(({ params }) => params?.['_meta']).filter((meta) => meta !== undefined);
  expect(sent.map((meta) => JSON.stringify(meta))).toEqual(sent.map(() => '{}'));
  expect(diagnostics).toEqual([]);
});

describe('with the SDK', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
  });
  beforeEach(() => exporter.reset());
  afterAll(() => {
    otel.trace.disable();
    otel.context.disable();
    otel.propagation.disable();
  });

  const traceparentOf = (span: ReadableSpan) => {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags}`;
  };
  const spans = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
  const only = (name: string): ReadableSpan => {
    const [span, ...others] = spans(name);
    if (!span || others.length > 0) throw new Error(`${1 + others.length} spans with the name ${name}`);
    return span;
  };
  const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;
  const idOf = (span: ReadableSpan) => span.spanContext().spanId;
  const isFailed = ({ status }: ReadableSpan) => status.code === otel.SpanStatusCode.ERROR;

  /** A span of another part of the editor. */
  const active = {
    traceparent: `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`,
    tracestate: 'vendor=a',
    baggage: 'user=a',
  };

  test('gives the agent the ids of the span of each call, in the active trace', async () => {
    const context = otel.propagation.extract(otel.ROOT_CONTEXT, active);
    const { agent } = await otel.context.with(context, async () => {
      const opened = await traced((agent) =>
        agent
          .on('session/prompt', works([]))
          .on('session/resume', {})
          .on('session/delete', {})
          .on('_example.com/status', {}),
      );
      const { connection, prompt } = opened;
      await prompt('Hi.', { meta: { 'example.com/key': 1 } });
      await connection.resumeSession({ sessionId: 's2', cwd });
      await connection.deleteSession('s2');
      await connection.request('_example.com/status');
      await connection.notify('_example.com/note');
      await flush(opened.agent);
      return opened;
    });
    const sent = agent.received.filter(({ method }) => method !== undefined);
    const exported = new Map(exporter.getFinishedSpans().map((span) => [traceparentOf(span), span]));
    expect(sent.map(({ method }) => method)).toEqual([
      ...['initialize', 'session/new', 'session/prompt', 'session/resume'],
      ...['session/delete', '_example.com/status', '_example.com/note'],
    ]);
    const turn = only('turn');
    expect(parentOf(turn)).toBe('a'.repeat(16));
    expect(exported.size).toBe(sent.length + 1);
    for (const { method, params } of sent) {
      const meta = params?.['_meta'] as JsonObject;
      const span = exported.get(String(meta['traceparent']));
      expect(span).toMatchObject({ name: method, kind: otel.SpanKind.CLIENT, ended: true });
      expect(span?.spanContext().traceId).toBe('a'.repeat(32));
      expect(span && parentOf(span)).toBe(method === 'session/prompt' ? idOf(turn) : 'a'.repeat(16));
      expect(meta).toMatchObject({ tracestate: 'vendor=a', baggage: 'user=a' });
    }
    expect(sent[2]?.params?.['_meta']).toMatchObject({ 'example.com/key': 1 });
  });

  test('makes a span of a turn and of each of its tool calls, which end with them', async () => {
    const { prompt } = await traced((agent) =>
      agent.on(
        'session/prompt',
        works([
          toolCall('t1'),
          toolCall('t2', { kind: 'execute' }),
          toolCallEnds('t1', 'completed'),
          (agent) => flush(agent),
          () => expect(spans('tool read')).toHaveLength(1),
          () => expect(spans('tool execute')).toHaveLength(0),
          toolCallEnds('t2', 'failed'),
          toolCall('t3', { kind: 'edit', status: 'completed' }),
        ]),
      ),
    );
    await prompt('Hi.');
    const turn = only('turn');
    expect(turn.attributes).toEqual({ 'acp.stop_reason': 'end_turn' });
    const tools = ['tool read', 'tool execute', 'tool edit'].map(only);
    expect(tools.map(parentOf)).toEqual(tools.map(() => idOf(turn)));
    expect(tools.map(({ attributes }) => attributes['acp.status'])).toEqual([
      'completed',
      'failed',
      'completed',
    ]);
    expect(tools.map(isFailed)).toEqual([false, true, false]);
    expect(isFailed(turn)).toBe(false);
  });

  test('marks what fails: a refused prompt, a call that is given up, and a crash', async () => {
    const { agent, connection, prompt } = await traced((agent) =>
      agent
        .on('session/prompt', () => {
          throw new RequestError(-32603, 'The model is busy.');
        })
        .on('_silent', () => noAnswer),
    );
    await expect(prompt('Hi.')).rejects.toThrow('The model is busy.');
    expect(only('turn').status).toMatchObject({
      code: otel.SpanStatusCode.ERROR,
      message: expect.stringContaining('The model is busy.'),
    });
    await expect(connection.request('_silent', {}, { timeoutMs: neverComesMs })).rejects.toThrow(
      `within ${neverComesMs} ms`,
    );
    expect(only('_silent').status.message).toContain(`within ${neverComesMs} ms`);
    exporter.reset();
    agent.on('session/prompt', works([toolCall('t1'), (agent) => agent.channel.exit()]));
    await expect(prompt('Hi again.')).rejects.toMatchObject({ code: 'connection.closed' });
    await settle();
    expect(isFailed(only('turn'))).toBe(true);
    expect(only('tool read').attributes).toEqual({ 'acp.status': 'cancelled' });
    expect(parentOf(only('tool read'))).toBe(idOf(only('turn')));
  });

  test('does not mark a turn that was cancelled, and ends its tool calls', async () => {
    const cancelled = [
      (agent: ScriptedAgent) => agent.called('session/cancel'),
      toolCallEnds('t1', 'failed'),
    ];
    const { agent, session, prompt } = await traced((agent) =>
      agent.on('session/prompt', works([toolCall('t1'), ...cancelled], 'cancelled')),
    );
    const turn = prompt('Hi.');
    await agent.called('session/prompt');
    await flush(agent);
    await session.cancel();
    await turn;
    expect(only('turn').attributes).toEqual({ 'acp.stop_reason': 'cancelled' });
    expect(only('tool read').attributes).toEqual({ 'acp.status': 'cancelled' });
    expect([only('turn'), only('tool read')].map(isFailed)).toEqual([false, false]);
  });
});
