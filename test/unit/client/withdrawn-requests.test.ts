import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { ElicitationService } from '../../../src/client/requests/elicitation.ts';
import { MissingHandlers } from '../../../src/client/requests/missing-handlers.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';

test('a request that waits for a handler when the connection closes is no failure of the handler', async () => {
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    handlers: { extensions: { _wait: () => new Promise(() => {}) } },
  });
  void agent.request('_wait', {});
  await settle();
  await connection.close();
  await settle();
  expect(diagnostics).toEqual([]);
});

test('an elicitation that comes while the connection is being closed is cancelled at once', async () => {
  const service = new ElicitationService(AbortSignal.abort());
  const signals: AbortSignal[] = [];
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
  const answer = await service.serve({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Who?',
      requestedSchema: { type: 'object', properties: {} },
      requestId: 1,
    },
    signal: new AbortController().signal,
    hold() {},
    onTaken() {},
    handlers: {
      elicit: {
        form: (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    },
    dialect: v1,
    report,
    missing: new MissingHandlers(report),
    registered: undefined,
  });
  expect(answer).toEqual({ action: 'cancel' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(diagnostics).toEqual([]);
});
