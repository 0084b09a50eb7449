import { preview } from '../../src/core/base/diagnostic.ts';
import { lastLines, printable, shortened } from '../../src/core/base/printable.ts';
import { agentText, remoteReason } from '../../src/core/base/remote-reason.ts';
import { secretsInUrl, withoutQueryValues, withoutUrlCredentials } from '../../src/core/base/secrets.ts';
import { clean, cleanLine, plainText } from '../../src/core/render/clean.ts';
import { columnsOf } from '../../src/core/render/columns.ts';
import { diffHtml } from '../../src/core/render/diff-html.ts';
import { renderHtml } from '../../src/core/render/html.ts';
import { wrapLines } from '../../src/core/render/lines.ts';
import { renderMarkdown } from '../../src/core/render/markdown.ts';
import { patchSections } from '../../src/core/render/patch-sections.ts';
import { terminalSpans } from '../../src/core/render/spans.ts';
import { renderText } from '../../src/core/render/text.ts';
import { unifiedDiff } from '../../src/core/render/unified-diff.ts';
import { redact } from '../../src/core/trace/redact.ts';
import { shorten } from '../../src/core/trace/shorten.ts';
import { readRecord } from '../../src/core/trace/traffic.ts';
import { describeBody, isHtml } from '../../src/core/transport/http/http-answers.ts';
import { parseJsonWithComments } from '../../src/node/files/json-with-comments.ts';
import { explain, withoutCall } from '../../src/programs/cli/errors.ts';
import { LiveTranscript } from '../../src/programs/cli/live.ts';
import { fitTable, toJson, toJsonLine } from '../../src/programs/cli/print.ts';
import { linkOf, webAddress } from '../../src/ui/panel/places.ts';
import { insidePath, isUriInside, linkedFile, localPath } from '../../src/ui/panel/workspace.ts';
import { conversation, message, text, toolCall } from '../unit/render/example.ts';

const folders = ['/home/user/project'];

/** A message, and a tool call with the text in its title, its output and its diff. */
const saying = (said: string) =>
  conversation({
    entries: [
      message('agent', text(said)),
      toolCall({
        title: said,
        content: [
          { type: 'content', content: text(said) },
          { type: 'diff', changes: [], patch: { format: 'unified', text: said } },
        ],
      }),
    ],
  });

/** Shows a message that grows once, as a turn of the command line does. */
function showTurn(width: number): (said: string) => unknown {
  return (said) => {
    const shown = conversation({ entries: [message('agent', text(`${said} d`))] });
    const live = new LiveTranscript({ color: false, width, isLineOpen: false, async result() {} });
    const [{ key = '' } = {}] = shown.entries;
    const parts = [said, ' d'].map(
      (part) => ({ type: 'text', key, messageId: null, origin: 'live', text: part }) as const,
    );
    live.follow({
      conversation: shown,
      onEvent: (listener) => {
        parts.forEach(listener);
        return () => {};
      },
    });
    return live.finish(shown);
  };
}

/** The functions that take text of an agent, a server or a page, by what they do. */
export const textFunctions: Readonly<Record<string, (said: string) => unknown>> = {
  'text of a conversation': (said) => renderText(saying(said)),
  'text in 80 columns': (said) => renderText(saying(said), { width: 80 }),
  'text in colors': (said) => renderText(saying(said), { width: 80, color: true }),
  'Markdown of a conversation': (said) => renderMarkdown(saying(said)),
  'HTML of a conversation': (said) => renderHtml(saying(said)),
  'a turn of the command line': showTurn(80),
  'a turn that is no terminal': showTurn(Number.POSITIVE_INFINITY),
  'JSON of the command line': toJson,
  'JSON lines of the command line': toJsonLine,
  'a table of the command line': (said) => fitTable([[said, said]], 80),
  'an error of the command line': (said) => explain(new Error(said)),
  'the message of an error': withoutCall,
  'wrapped lines': (said) => wrapLines(said, 80),
  'columns of a text': columnsOf,
  'clean text': clean,
  'a clean line': cleanLine,
  'plain text': plainText,
  'printable text': printable,
  'a shortened text': (said) => shortened(said, 200),
  'the last lines': lastLines,
  'a preview': preview,
  'the text of an error': (said) => agentText(said, said),
  'the reason of an error': (said) => remoteReason({ details: said }),
  'the body of an answer': describeBody,
  'whether an answer is a page': isHtml,
  'an address without credentials': withoutUrlCredentials,
  'an address without its query': withoutQueryValues,
  'secrets in an address': secretsInUrl,
  'a link to a file': (said) => linkedFile(said, folders[0] ?? '', folders),
  'a path': (said) => insidePath(said, folders),
  'a local path': (said) => localPath(said, folders),
  'an address of a file': (said) => isUriInside(`file://${said}`, folders),
  'the address of a page': webAddress,
  'a link of a message': (said) => linkOf(said, { conversation: saying(said) }),
  'a configuration with comments': parseJsonWithComments,
  'a record of a trace': readRecord,
  'a trace without secrets': (said) => redact({ method: said, params: { text: said } }),
  'a shortened trace': (said) => shorten({ text: said }, 200),
  'the diff of two texts': (said) => unifiedDiff(said, `${said}x`),
  'a patch': patchSections,
  'HTML of a patch': diffHtml,
  'output of a terminal': terminalSpans,
};
