/**
 * What was said between the client and the agent, ready to be asked about: one item a run of the agent.
 *
 * Each run has its messages in order, each with its `direction`, the `message`, and for an answer the `method` and
 * the `params` that it answers.
 */
export function runsIn(messages) {
  const runs = [];
  for (const { direction, message } of messages) {
    if (direction === 'out' && message.method === 'initialize') runs.push({ items: [], calls: new Map() });
    const run = runs.at(-1);
    const isCall = 'method' in message && 'id' in message;
    if (isCall) run.calls.set(`${direction} ${message.id}`, message);
    const answered = 'method' in message ? undefined : run.calls.get(`${other[direction]} ${message.id}`);
    run.items.push({
      direction,
      message,
      method: message.method ?? answered?.method,
      params: message.params ?? answered?.params,
      isCall,
      isAnswer: !('method' in message),
      update: message.method === 'session/update' ? message.params.update : undefined,
      sessionId: (message.params ?? answered?.params)?.sessionId,
    });
  }
  return runs.map(({ items }) => items);
}

const other = { in: 'out', out: 'in' };

/** Whether in any run a message is as `holds` says; it is given the messages before it as well. */
export function anyItem(runs, holds) {
  return runs.some((items) => items.some((item, index) => holds(item, items.slice(0, index), items)));
}

/** The prompts of a session that wait for their answer after these messages. */
export function openPrompts(items, sessionId) {
  const prompts = items.filter((item) => item.method === 'session/prompt' && item.sessionId === sessionId);
  return prompts.filter(({ isCall }) => isCall).length - prompts.filter(({ isAnswer }) => isAnswer).length;
}
