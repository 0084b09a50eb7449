type Schedule = (task: () => void) => void;

/**
 * Runs `task` after the promise callbacks that are due and after pending input and output had their turn.
 * Node has `setImmediate`; in a browser a message channel does the same without the 4 ms a nested timer costs.
 */
export const macrotask: Schedule =
  typeof setImmediate === 'function'
    ? (task) => {
        setImmediate(task);
      }
    : scheduleByChannel();

function scheduleByChannel(): Schedule {
  let channel: InstanceType<typeof MessageChannel> | undefined;
  const tasks: (() => void)[] = [];
  return (task) => {
    if (!channel) {
      channel = new MessageChannel();
      // Node's types leave out the browser's property, and only a browser gets here.
      (channel.port1 as unknown as { onmessage: () => void }).onmessage = () => tasks.shift()?.();
    }
    tasks.push(task);
    channel.port2.postMessage(null);
  };
}
