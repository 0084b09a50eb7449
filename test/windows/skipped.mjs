// Tests that Windows can run and Wine cannot: by file, with the reason. Tests that Windows cannot run are skipped in the
// tests themselves.
const noLinks = 'Wine 8 reports success for symbolic links and creates none, and refuses junctions';
const noTrees = 'The taskkill of Wine 8 has no /T, so the children of a program are not ended';
const noSubstrings = 'The cmd.exe of Wine 8 does not replace %cd:~,% with an empty text';
const openPipes =
  'Under Wine 8 a pipe stays open when the program at its other end closes it and continues to run; not tested on Windows';
const longArguments = 'Wine 8 starts a program with truncated arguments, which Windows refuses as too long';

export const skipped = {
  'test/unit/node/file-system.test.ts': {
    '[security: links] are enforced against links: to a file, to a directory, over several, and to nothing':
      noLinks,
    'allow links that stay inside them': noLinks,
    'can be links, can be several, and can be none': noLinks,
    'hold when a directory becomes a link after it was checked': noLinks,
    'hold when a file becomes a link after it was checked': noLinks,
  },
  'test/process/node/spawn.test.ts': {
    'of a batch file gets percent signs without changes': noSubstrings,
    'kills the agent and what it started if it ignores SIGTERM': noTrees,
    'is stopped when it closes its output': openPipes,
    'is stopped when it closes its input': openPipes,
    'arguments that are too long': longArguments,
  },
  'test/process/node/probe.test.ts': {
    'a package that npx cannot download is the problem program.download_failed': 'There is no npx under Wine',
  },
  'test/process/node/terminals.test.ts': {
    'kill ends the command and all that it started, and keeps the terminal': noTrees,
    'close ends all terminals, and create is refused afterwards': noTrees,
    'close waits for commands of released terminals': noTrees,
    'aborting the signal ends all terminals': noTrees,
  },
};
