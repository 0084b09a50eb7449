import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
  // The entry for Markdown needs its peer dependency when it is imported.
  await consumer.install('markdown-it');
});
afterAll(() => consumer?.remove());

type Names = Readonly<Record<string, readonly string[]>>;

/** The names that each entry exports at run time, in the order of the alphabet. */
async function exportsOf(extension: 'mjs' | 'cjs', load: 'await import' | 'require'): Promise<Names> {
  const name = `exports.${extension}`;
  await consumer.write({
    [name]: `(async () => {
      const names = {};
      for (const entry of ${JSON.stringify(Object.keys(entries))}) {
        names[entry] = Object.keys(${load}(entry)).sort();
      }
      console.log(JSON.stringify(names));
    })();`,
  });
  return JSON.parse(await consumer.node(name));
}

test('every entry exports the same names to import and to require', async () => {
  const imported = await exportsOf('mjs', 'await import');
  expect(await exportsOf('cjs', 'require')).toEqual(imported);
  expect(Object.values(imported).every((names) => names.length > 0)).toBe(true);
});

test('the exports match the snapshot', async () => {
  const names = await exportsOf('mjs', 'await import');
  // Those of the schemas are the protocol's own names, and are held against its schema elsewhere.
  const own = Object.entries(names).filter(([entry]) => !entry.includes('/schema/'));
  expect(Object.fromEntries(own)).toMatchInlineSnapshot(`
    {
      "acp-client-sdk": [
        "AcpError",
        "AgentProcessError",
        "AuthRequiredError",
        "CancelledError",
        "CapabilityError",
        "ConnectionClosedError",
        "ConnectionStateError",
        "ExitError",
        "HttpError",
        "InvalidMessageError",
        "InvalidParamsError",
        "MessageTooLargeError",
        "MethodNotFoundError",
        "NotFoundError",
        "ProtocolError",
        "RemoteError",
        "RequestError",
        "SpawnError",
        "TimeoutError",
        "UnsupportedVersionError",
        "UsageError",
        "asksForPermission",
        "choosePermissionOption",
        "connect",
        "featureNames",
        "loginAdvice",
        "memoryCookies",
        "ndjsonTransport",
        "pathMap",
        "permissionRules",
        "protocolSchema",
        "redact",
        "remoteTransport",
        "streamableHttpTransport",
        "supportedMcpServers",
        "unstableFeatures",
        "webSocketTransport",
      ],
      "acp-client-sdk/ag-ui": [
        "acpAgent",
        "agUiResponse",
        "askInChat",
        "toAgUiEvents",
        "toAgUiMessages",
        "toAgUiState",
      ],
      "acp-client-sdk/ai-sdk": [
        "answeredApprovals",
        "askInChat",
        "chatTransport",
        "toUIMessageStream",
        "toUIMessages",
      ],
      "acp-client-sdk/conversation": [
        "applyPatch",
        "changedEntries",
        "createConversationMirror",
        "createConversationStore",
        "diffConversation",
        "diffLines",
        "emptyConversation",
        "exportConversation",
        "findToolCall",
        "foldUpdate",
        "foldUpdates",
        "importConversation",
        "isToolCallFinished",
        "openQuestions",
        "pathsOf",
        "plainText",
        "publishConversation",
        "rateLimitsOf",
        "renderEntryHtml",
        "renderEntryMarkdown",
        "renderHtml",
        "renderMarkdown",
        "renderPlanHtml",
        "renderText",
        "settingsOf",
        "textOf",
        "toolOutput",
      ],
      "acp-client-sdk/markdown": [
        "markdownBlocks",
        "renderMarkdownHtml",
      ],
      "acp-client-sdk/node": [
        "demoAgentCommand",
        "editorEnvironment",
        "editsInside",
        "knownAgents",
        "loginInTerminal",
        "loginShellEnvironment",
        "mcpServersFromConfig",
        "nodeCommand",
        "nodeFileSystem",
        "nodeTerminals",
        "probeAgent",
        "publishedRegistryUrl",
        "registeredAgentCommand",
        "registry",
        "spawnAgent",
        "terminalLoginCommand",
        "traceFile",
        "traceLines",
      ],
      "acp-client-sdk/panel": [
        "PanelError",
        "connectPanel",
        "messagePortChannel",
        "servePanel",
        "webSocketChannel",
      ],
      "acp-client-sdk/testing": [
        "checkTranscriptStorage",
        "faults",
        "foldTraffic",
        "memoryTransport",
        "noAnswer",
        "playback",
        "readRecords",
        "recordTraffic",
        "scriptedAgent",
        "transcriptOf",
        "updateMessage",
      ],
      "acp-client-sdk/tools": [
        "ToolError",
        "mcpServer",
        "toolServer",
      ],
      "acp-client-sdk/transcripts": [
        "TranscriptError",
        "memoryStorage",
        "openTranscripts",
        "readTranscriptFile",
        "transcriptWords",
      ],
      "acp-client-sdk/vscode": [
        "agentProcess",
        "agentStatusItem",
        "agentView",
        "askWithQuickPick",
        "editorActions",
        "sessionMemory",
        "toAbortSignal",
        "webviewChannel",
        "workspaceBuffers",
        "workspaceFiles",
        "workspaceSession",
        "workspaceTerminals",
      ],
    }
  `);
});
