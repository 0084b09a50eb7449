import type { Session } from '../client/session/session.ts';
import { createdAtOf } from '../client/session/session-origin.ts';
import type { RecordHeader } from './format.ts';
import type { TranscriptStorage } from './storage.ts';
import { readRecords } from './whole.ts';

/**
 * The id for the transcript of a session: the id of the session. If another agent has a transcript with this id, the name
 * of the agent follows. If an earlier session of the agent has one, the time when this session was created follows.
 */
export async function findTranscriptId(
  storage: TranscriptStorage,
  session: Session,
  agentName: string | undefined,
): Promise<string> {
  const { sessionId } = session;
  const headers = await headersOf(storage, sessionId);
  const isOfAnother = headers.some(({ agent }) => agent && agentName && agent.name !== agentName);
  const id = isOfAnother ? `${sessionId} (${agentName})` : sessionId;
  const own = isOfAnother ? await headersOf(storage, id) : headers;
  return isOfEarlierSession(own, session) ? `${id} (${createdAtOf(session)})` : id;
}

/**
 * Whether records were made before the agent created the session. An agent that counts its sessions from one each time it
 * starts gives their ids again.
 */
export function isOfEarlierSession(
  headers: readonly Pick<RecordHeader, 'createdAt'>[],
  session: Session,
): boolean {
  const createdAt = createdAtOf(session);
  return createdAt !== undefined && headers.length > 0 && headers.every((one) => one.createdAt < createdAt);
}

async function headersOf(storage: TranscriptStorage, id: string): Promise<readonly RecordHeader[]> {
  const { records, newer } = readRecords(await storage.read(id));
  return [...records.map(({ header }) => header), ...newer];
}
