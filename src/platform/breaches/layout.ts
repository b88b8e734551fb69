import { crc32 } from 'node:zlib'

/**
 * A file of listed passwords, one fingerprint for each. A fingerprint is the last 52 bits of the password's SHA-1,
 * because the first ones are alike in a file that was cut by prefix. Its upper bits choose a bucket of about a hundred,
 * and of the rest as many are kept as make one password in ten thousand look listed that is not. A bucket keeps the
 * sorted rests as Rice-coded distances, with a checksum.
 *
 * The head is followed by where each bucket begins and where the last one ends, then by the buckets.
 */
export interface Layout {
  readonly entries: number
  /** There are 2 to the power of it. */
  readonly bucketBits: number
  readonly restBits: number
  /** The lower bits of a distance, which are written as they are. */
  readonly riceBits: number
}

export interface Head extends Layout {
  readonly bytes: number
  readonly madeAt: number
}

/** Not a filter, or one that was cut or changed. */
export class DamagedFilter extends Error {
  override readonly name = 'DamagedFilter'
}

export const HEAD_BYTES = 64
export const OFFSET_BYTES = 6
export const CHECKSUM_BYTES = 4
/** No bucket of evenly spread fingerprints comes near it. */
export const BUCKET_BYTES_AT_MOST = 64 * 1024
export const FINGERPRINT_BITS = 52

const MAGIC = Buffer.from('GHBREACH')
const VERSION = 1
const FINGERPRINT_DIGITS = FINGERPRINT_BITS / 4
const ENTRIES_IN_A_BUCKET = 64
const MISTAKES = 10_000
/** The distances of evenly spread numbers are coded best at this part of their mean. */
const OF_MEAN = 0.69

export function layoutFor(entries: number): Layout {
  const bucketBits = Math.max(0, Math.floor(Math.log2(entries / ENTRIES_IN_A_BUCKET)))
  const inBucket = Math.max(1, entries / 2 ** bucketBits)
  const restBits = Math.ceil(Math.log2(inBucket * MISTAKES))
  const riceBits = Math.max(0, Math.round(Math.log2((2 ** restBits / inBucket) * OF_MEAN)))
  return { entries, bucketBits, restBits, riceBits }
}

/** `sha1` is 40 hexadecimal digits. */
export function fingerprintOf(sha1: string): number {
  return Number.parseInt(sha1.slice(-FINGERPRINT_DIGITS), 16)
}

export function placeOf(fingerprint: number, { bucketBits, restBits }: Layout): { bucket: number; rest: number } {
  const below = 2 ** (FINGERPRINT_BITS - bucketBits)
  const bucket = Math.floor(fingerprint / below)
  return { bucket, rest: Math.floor((fingerprint - bucket * below) / (below / 2 ** restBits)) }
}

/** Includes the bucket's number, so that a wrong beginning is noticed. */
export function checksumOf(bucket: number, content: Uint8Array): number {
  return crc32(content, bucket >>> 0)
}

export function writeHead({ entries, bucketBits, restBits, riceBits, bytes, madeAt }: Head): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  MAGIC.copy(head)
  head.set([VERSION, bucketBits, restBits, riceBits], MAGIC.length)
  head.writeBigUInt64BE(BigInt(entries), 16)
  head.writeBigUInt64BE(BigInt(bytes), 24)
  head.writeBigUInt64BE(BigInt(madeAt), 32)
  head.writeUInt32BE(crc32(head.subarray(0, HEAD_BYTES - CHECKSUM_BYTES)), HEAD_BYTES - CHECKSUM_BYTES)
  return head
}

export function readHead(head: Buffer): Head {
  const isOurs = head.length === HEAD_BYTES && head.subarray(0, MAGIC.length).equals(MAGIC)
  if (!isOurs) throw new DamagedFilter('it is not a list made by `gatehouse breaches build`')
  if (head[MAGIC.length] !== VERSION) throw new DamagedFilter('it was made by another version; build it again')
  const checksum = head.readUInt32BE(HEAD_BYTES - CHECKSUM_BYTES)
  if (crc32(head.subarray(0, HEAD_BYTES - CHECKSUM_BYTES)) !== checksum) throw new DamagedFilter('its head is damaged')
  return {
    bucketBits: head.readUInt8(MAGIC.length + 1),
    restBits: head.readUInt8(MAGIC.length + 2),
    riceBits: head.readUInt8(MAGIC.length + 3),
    entries: Number(head.readBigUInt64BE(16)),
    bytes: Number(head.readBigUInt64BE(24)),
    madeAt: Number(head.readBigUInt64BE(32)),
  }
}
