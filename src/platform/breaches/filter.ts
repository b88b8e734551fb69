import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { BitReader } from './bits.ts'
import {
  BUCKET_BYTES_AT_MOST,
  CHECKSUM_BYTES,
  checksumOf,
  DamagedFilter,
  fingerprintOf,
  HEAD_BYTES,
  type Head,
  OFFSET_BYTES,
  placeOf,
  readHead,
} from './layout.ts'

const BUCKETS_AT_ONCE = 4096
const SAMPLES = 32

interface Buckets {
  readonly first: number
  /** Where each begins in the file, and where the last one ends. */
  readonly begins: readonly number[]
  readonly from: number
  readonly content: Buffer
}

/** A file of listed passwords that is never read whole: a question costs two reads of a few hundred bytes. */
export class Filter implements AsyncDisposable {
  readonly head: Head
  /** Differs for a file that was put in its place. */
  readonly identity: string
  readonly #file: FileHandle

  private constructor(file: FileHandle, head: Head, { dev, ino, mtimeMs }: Stats) {
    this.#file = file
    this.head = head
    this.identity = [dev, ino, mtimeMs].join(' ')
  }

  /** Throws `DamagedFilter` for a file that is none, or is cut. */
  static async open(path: string): Promise<Filter> {
    // Opening a pipe would wait for a writer, and keep one of the few threads that open files for everybody.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = readHead(await readUpTo(file, 0, HEAD_BYTES))
      const stats = await file.stat()
      if (stats.size !== head.bytes) throw new DamagedFilter(`it has ${stats.size} bytes and should have ${head.bytes}`)
      return new Filter(file, head, stats)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async has(sha1: string): Promise<boolean> {
    const { bucket, rest } = placeOf(fingerprintOf(sha1), this.head)
    for (const known of this.#restsIn(bucket, await this.#bucketsFrom(bucket, 1)))
      if (known >= rest) return known === rest
    return false
  }

  /** Reads all of it, and throws `DamagedFilter` if one bucket is not as it was written. */
  async verify(): Promise<void> {
    const buckets = 2 ** this.head.bucketBits
    let entries = 0
    for (let first = 0; first < buckets; first += BUCKETS_AT_ONCE) {
      const count = Math.min(BUCKETS_AT_ONCE, buckets - first)
      const read = await this.#bucketsFrom(first, count)
      for (let bucket = first; bucket < first + count; bucket++) for (const _ of this.#restsIn(bucket, read)) entries++
    }
    if (entries !== this.head.entries)
      throw new DamagedFilter(`it has ${entries} entries and should have ${this.head.entries}`)
  }

  /** Reads buckets all over the file, and throws `DamagedFilter` if one is damaged: a copy that was cut short has many. */
  async sample(): Promise<void> {
    const buckets = 2 ** this.head.bucketBits
    const step = Math.ceil(buckets / SAMPLES)
    for (let bucket = 0; bucket < buckets; bucket += step) this.#bucketAt(bucket, await this.#bucketsFrom(bucket, 1))
  }

  /** Waits for the questions that are being answered. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }

  async #bucketsFrom(first: number, count: number): Promise<Buckets> {
    const offsets = await readUpTo(this.#file, HEAD_BYTES + first * OFFSET_BYTES, (count + 1) * OFFSET_BYTES)
    const begins = Array.from({ length: count + 1 }, (_, i) => offsets.readUIntBE(i * OFFSET_BYTES, OFFSET_BYTES))
    const [from = 0] = begins
    const to = begins.at(-1) ?? 0
    if (!(from <= to && to <= this.head.bytes && to - from <= count * BUCKET_BYTES_AT_MOST)) throw damagedAt(first)
    return { first, begins, from, content: await readUpTo(this.#file, from, to - from) }
  }

  *#restsIn(bucket: number, read: Buckets) {
    const reader = new BitReader(this.#bucketAt(bucket, read))
    let rest = 0
    for (let next = reader.next(this.head.riceBits); next !== undefined; next = reader.next(this.head.riceBits)) {
      rest += next
      yield rest
    }
  }

  #bucketAt(bucket: number, { first, begins, from, content }: Buckets): Buffer {
    const start = (begins[bucket - first] ?? 0) - from
    const end = (begins[bucket - first + 1] ?? 0) - from - CHECKSUM_BYTES
    if (!(start >= 0 && end >= start && end + CHECKSUM_BYTES <= content.length)) throw damagedAt(bucket)
    const coded = content.subarray(start, end)
    if (content.readUInt32BE(end) !== checksumOf(bucket, coded)) throw damagedAt(bucket)
    return coded
  }
}

async function readUpTo(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function damagedAt(bucket: number): DamagedFilter {
  return new DamagedFilter(`bucket ${bucket} is damaged`)
}
