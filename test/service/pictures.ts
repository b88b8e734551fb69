import { crc32, deflateSync } from 'node:zlib'

/** A real PNG of one grey; `claimedWidth` puts another width into its header. */
export function pngOf(width: number, height: number, { claimedWidth = width } = {}): Buffer {
  const line = Buffer.concat([Buffer.of(0), Buffer.alloc(width, 0x80)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return png(headerOf(claimedWidth, height), [['IDAT', pixels]])
}

type NamedChunk = readonly [type: string, data: Buffer]

function headerOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return header
}

function png(header: Buffer, chunks: readonly NamedChunk[]): Buffer {
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const all: readonly NamedChunk[] = [['IHDR', header], ...chunks, ['IEND', Buffer.alloc(0)]]
  return Buffer.concat([signature, ...all.map(([type, data]) => chunk(type, data))])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
