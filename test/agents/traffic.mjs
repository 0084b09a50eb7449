/**
 * The messages of each run of the agent, in their order. Each has its `direction` and the `message`; an answer also has
 * the `method` and the `params` of its request.
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

/** Whether `holds` is true for a message of any run. It also gets the messages before it, and all of the run. */
export function anyItem(runs, holds) {
  return runs.some((items) => items.some((item, index) => holds(item, items.slice(0, index), items)));
}

/** The number of prompts of a session that are not answered in these messages. */
export function openPrompts(items, sessionId) {
  const prompts = items.filter((item) => item.method === 'session/prompt' && item.sessionId === sessionId);
  return prompts.filter(({ isCall }) => isCall).length - prompts.filter(({ isAnswer }) => isAnswer).length;
}
