import { crc32 } from 'node:zlib'
import { hasWholePixels, headerOf } from './png-pixels.ts'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const LONGEST_SIDE = 2048

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/** What is wrong with a PNG: each chunk must be whole, the size bounded, every pixel present, and nothing may follow the end. */
export function pngFault(bytes: Buffer): string | undefined {
  const chunks = chunksOf(bytes)
  const [first, ...others] = chunks
  const header = first?.type === 'IHDR' ? headerOf(first.data) : undefined
  if (!header || chunks.at(-1)?.type !== 'IEND') return 'The PNG is damaged.'
  if (!isBounded(header)) return `The PNG is wider or higher than ${LONGEST_SIDE} pixels.`
  if (others.some(({ type }) => type === 'acTL'))
    return 'The PNG is animated, which is not allowed in a logo.'
  const pixels = others.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  const hasColours = header.colour !== PALETTE || others.some(({ type }) => type === 'PLTE')
  if (!hasColours || !hasWholePixels(header, Buffer.concat(pixels))) return 'The PNG is damaged.'
  return chunks.at(-1)?.end === bytes.length ? undefined : 'The PNG has data behind its end.'
}

const PALETTE = 3

interface Chunk {
  readonly type: string
  readonly data: Buffer
  readonly end: number
}

/** Up to the end of the picture, or to the first chunk that is not whole. */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let chunk = chunkAt(bytes, SIGNATURE.length)
  while (chunk) {
    chunks.push(chunk)
    chunk = chunk.type === 'IEND' ? undefined : chunkAt(bytes, chunk.end)
  }
  return chunks
}

function chunkAt(bytes: Buffer, at: number): Chunk | undefined {
  if (at + 12 > bytes.length) return undefined
  const end = at + 12 + bytes.readUInt32BE(at)
  if (end > bytes.length) return undefined
  if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
  return { type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end - 4), end }
}

function isBounded({ width, height }: { readonly width: number; readonly height: number }): boolean {
  return [width, height].every((side) => side >= 1 && side <= LONGEST_SIDE)
}
