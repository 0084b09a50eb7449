import type { Block } from './history.ts';

/** A drawing in characters: each stands for a colour of the palette, `[red, green, blue]`. */
export interface Drawing {
  readonly palette: Readonly<Record<string, readonly [number, number, number]>>;
  /** All of one length. */
  readonly rows: readonly string[];
}

/** A drawing as an image block. */
export function picture(drawing: Drawing): Block {
  return { type: 'image', mimeType: 'image/png', data: png(drawing).toString('base64') };
}

/**
 * A drawing as a PNG file. It is stored and not compressed, so that the bytes do not depend on a compressor.
 *
 * @see https://www.w3.org/TR/png-3/
 */
function png({ palette, rows }: Drawing): Buffer {
  const colours = Object.keys(palette);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(rows[0]?.length ?? 0, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits a pixel, an index into the palette
  const pixels = rows.flatMap((row) => [0, ...[...row].map((character) => colours.indexOf(character))]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(Object.values(palette).flat())),
    chunk('IDAT', stored(Buffer.from(pixels))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

/** A zlib stream of one block that is not compressed: at most 65535 bytes, more than any drawing here. */
function stored(data: Buffer): Buffer {
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(data.length, 3);
  head.writeUInt16LE(data.length ^ 0xffff, 5);
  return Buffer.concat([head, data, uint32(adler32(data))]);
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function adler32(data: Buffer): number {
  let low = 1;
  let high = 0;
  for (const byte of data) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return ((high << 16) | low) >>> 0;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
