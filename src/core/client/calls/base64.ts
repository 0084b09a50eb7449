import type { ValidationIssue } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';

/** The beginning of a data URL, up to the data. A longer one is not shown whole. */
const dataUrlStart = /^data:(?:[^,]{0,60},)?/i;

/** How much of the data a message repeats, in characters. */
const shownLength = 20;

/**
 * The data URLs among the binary data of content blocks: agents expect the base64 text alone. The schemas of the
 * protocol accept every string.
 *
 * @param params - The parameters of a call, which have the shape of its schema.
 */
export function dataUrlIssues(params: unknown): readonly ValidationIssue[] {
  if (!isJsonObject(params)) return [];
  const { prompt, systemPrompt } = params;
  return [
    ...issuesOfBlocks('prompt', prompt),
    ...(isJsonObject(systemPrompt) ? issuesOfBlocks('systemPrompt.content', systemPrompt['content']) : []),
  ];
}

function issuesOfBlocks(path: string, blocks: unknown): readonly ValidationIssue[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown, index) => {
    if (!isJsonObject(block)) return [];
    const { type, data, resource } = block;
    if (type === 'image' || type === 'audio') return issueOf(`${path}.${index}.data`, data);
    if (type !== 'resource' || !isJsonObject(resource)) return [];
    return issueOf(`${path}.${index}.resource.blob`, resource['blob']);
  });
}

function issueOf(path: string, data: unknown): readonly ValidationIssue[] {
  const start = typeof data === 'string' ? dataUrlStart.exec(data)?.[0] : undefined;
  if (start === undefined || typeof data !== 'string') return [];
  const got = data.length > shownLength ? `${data.slice(0, shownLength)}…` : data;
  const message = `must be base64 without the ${JSON.stringify(start)} prefix; got ${JSON.stringify(got)}`;
  return [{ path, message }];
}
