// Only SIGKILL ends it.
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});
process.stdin.resume();
setInterval(() => {}, 1000);
console.log(JSON.stringify({ pid: process.pid }));
