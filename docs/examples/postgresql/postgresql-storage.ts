import { type ListedRecord, type TranscriptStorage, transcriptWords } from 'acp-client-sdk/transcripts';
import type { Pool } from 'pg';

/** One row for each batch. The words are for the full-text search of PostgreSQL. */
const schema = `
  CREATE TABLE IF NOT EXISTS transcripts (
    number bigserial PRIMARY KEY,
    id text NOT NULL,
    writer text NOT NULL,
    cwd text NOT NULL,
    info text NOT NULL,
    lines text NOT NULL,
    words tsvector NOT NULL
  );
  CREATE INDEX IF NOT EXISTS transcripts_record ON transcripts (md5(id), writer, number);
  CREATE INDEX IF NOT EXISTS transcripts_words ON transcripts USING gin (words);
`;

/** PostgreSQL has no text with U+0000, and JSON writes it in another way. */
const asText = (text: string) => JSON.stringify(text);

/** The longest word that PostgreSQL indexes, in bytes, is 2046. A longer one is found by its beginning. */
const maxWordLength = 500;
const short = (word: string) => word.slice(0, maxWordLength);

/** Keeps transcripts in one table, for a server of many hosts. The pool stays open. */
export async function postgresqlStorage(pool: Pool): Promise<TranscriptStorage> {
  await pool.query(schema);
  const insert = `
    INSERT INTO transcripts (id, writer, cwd, info, lines, words)
    SELECT $1, $2, $3, $4, $5, array_to_tsvector($6::text[])`;
  return {
    async append({ info, mode, lines }) {
      const id = asText(info.id);
      const words = [...transcriptWords(lines)].map(short);
      const values = [id, info.writer, asText(info.cwd), JSON.stringify(info), lines, words];
      if (mode === 'append') {
        const exists =
          'WHERE EXISTS (SELECT FROM transcripts WHERE md5(id) = md5($1) AND id = $1 AND writer = $2)';
        const { rowCount } = await pool.query(`${insert} ${exists}`, values);
        if (rowCount === 0) throw new Error('The record does not exist.');
        return;
      }
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const own = 'DELETE FROM transcripts WHERE md5(id) = md5($1) AND id = $1 AND writer = $2';
        await client.query(own, [id, info.writer]);
        await client.query(insert, values);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },

    async read(id) {
      const { rows } = await pool.query<{ writer: string; text: string }>(
        `SELECT writer, string_agg(lines, '' ORDER BY number) AS text FROM transcripts
         WHERE md5(id) = md5($1) AND id = $1 GROUP BY writer`,
        [asText(id)],
      );
      return rows;
    },

    async *list({ cwd } = {}) {
      const { rows } = await pool.query<{ info: string; bytes: string }>(
        `SELECT (array_agg(info ORDER BY number DESC))[1] AS info, sum(octet_length(lines)) AS bytes
         FROM transcripts WHERE $1::text IS NULL OR cwd = $1 GROUP BY id, writer`,
        [cwd === undefined ? null : asText(cwd)],
      );
      for (const { info, bytes } of rows)
        yield { ...JSON.parse(info), bytes: Number(bytes) } satisfies ListedRecord;
    },

    async remove(id, writers) {
      await pool.query(
        `DELETE FROM transcripts WHERE md5(id) = md5($1) AND id = $1 AND ($2::text[] IS NULL OR writer = ANY ($2))`,
        [asText(id), writers ?? null],
      );
    },

    async candidates(words) {
      // A word may be cut between two batches: such a record is read in any case.
      const quoted = words.map((word) => `'${short(word).replaceAll("'", "''").replaceAll('\\', '\\\\')}'`);
      const query = quoted
        .map((word, index) => (index === quoted.length - 1 ? `${word}:*` : word))
        .join(' & ');
      const { rows } = await pool.query<{ id: string }>(
        `SELECT DISTINCT id FROM transcripts WHERE words @@ $1::tsquery
         UNION SELECT id FROM transcripts GROUP BY id, writer HAVING count(*) > 2`,
        [query],
      );
      return new Set(rows.map(({ id }) => JSON.parse(id) as string));
    },
  };
}
