import { crc32 } from 'node:zlib'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const LONGEST_SIDE = 2048

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** What is wrong with a PNG: each chunk whole, a bounded size, and nothing behind its end. */
export function pngFault(bytes: Buffer): string | undefined {
  const header = chunkAt(bytes, SIGNATURE.length)
  if (header?.type !== 'IHDR') return 'The PNG is damaged.'
  if (!isBounded(header.data)) return `The PNG is wider or higher than ${LONGEST_SIDE} pixels.`
  let chunk: Chunk | undefined = header
  while (chunk && chunk.type !== 'IEND') chunk = chunkAt(bytes, chunk.end)
  if (!chunk) return 'The PNG is damaged.'
  return chunk.end === bytes.length ? undefined : 'The PNG has data behind its end.'
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
  readonly end: number
}

function chunkAt(bytes: Buffer, at: number): Chunk | undefined {
  if (at + 12 > bytes.length) return undefined
  const end = at + 12 + bytes.readUInt32BE(at)
  if (end > bytes.length) return undefined
  if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
  return { type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end - 4), end }
}

function isBounded(header: Buffer): boolean {
  if (header.length !== 13) return false
  const sides = [header.readUInt32BE(0), header.readUInt32BE(4)]
  return sides.every((side) => side >= 1 && side <= LONGEST_SIDE)
}
