import { type FileHandle, open, rm } from 'node:fs/promises'
import { FINGERPRINT_BITS } from '../../platform/breaches/layout.ts'

const PART_BITS = 12
const PARTS = 2 ** PART_BITS
const IN_BLOCK = 2048
const BLOCK_BYTES = IN_BLOCK * Float64Array.BYTES_PER_ELEMENT
/** A part with so many is sorted and freed of what it has twice, before it takes more. */
const UNSORTED_AT_MOST = 2 ** 22

interface Part {
  /** The numbers of its blocks in the file; all but the last are full. */
  blocks: number[]
  stored: number
  readonly waiting: Float64Array
  waitingCount: number
  tidyAt: number
}

/**
 * Sorts more fingerprints than fit into memory. They are parted by their upper bits, and each part is kept in blocks of
 * one file, small enough to be sorted alone. A fingerprint, which has 52 bits, is exact as a double.
 */
export class Fingerprints {
  readonly #file: FileHandle
  readonly #parts: readonly Part[] = Array.from({ length: PARTS }, () => ({
    blocks: [],
    stored: 0,
    waiting: new Float64Array(IN_BLOCK),
    waitingCount: 0,
    tidyAt: UNSORTED_AT_MOST,
  }))
  #blocks = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** `path` must not exist. The file has no name from here on, so that nothing is left of a program that is killed. */
  static async open(path: string): Promise<Fingerprints> {
    const file = await open(path, 'wx+', 0o600)
    await rm(path)
    return new Fingerprints(file)
  }

  /** Returns a promise only if something has to be written first. */
  add(fingerprint: number): Promise<void> | undefined {
    const part = this.#parts[Math.floor(fingerprint / 2 ** (FINGERPRINT_BITS - PART_BITS))]
    if (!part) throw new RangeError('a fingerprint has 52 bits')
    part.waiting[part.waitingCount++] = fingerprint
    return part.waitingCount === IN_BLOCK ? this.#store(part) : undefined
  }

  /** Sorts every part, and returns how many different fingerprints there are. */
  async sort(): Promise<number> {
    let count = 0
    for (const part of this.#parts) {
      await this.#tidy(part)
      count += part.stored + part.waitingCount
    }
    return count
  }

  /** In ascending order; after `sort`. */
  async *sorted(): AsyncGenerator<Float64Array> {
    for (const part of this.#parts) yield this.#all(part)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #store(part: Part): Promise<void> {
    await this.#append(part, part.waiting)
    part.waitingCount = 0
    if (part.stored < part.tidyAt) return
    await this.#tidy(part)
    part.tidyAt = Math.max(UNSORTED_AT_MOST, 2 * part.stored)
  }

  async #append(part: Part, block: Float64Array): Promise<void> {
    const at = part.stored / IN_BLOCK
    part.blocks[at] ??= this.#blocks++
    await writeAll(this.#file, bytesOf(block), (part.blocks[at] ?? 0) * BLOCK_BYTES)
    part.stored += block.length
  }

  async #tidy(part: Part): Promise<void> {
    if (part.stored + part.waitingCount === 0) return
    const different = withoutRepeated((await this.#all(part)).sort())
    part.stored = 0
    let at = 0
    for (; at + IN_BLOCK <= different.length; at += IN_BLOCK)
      await this.#append(part, different.subarray(at, at + IN_BLOCK))
    part.waiting.set(different.subarray(at))
    part.waitingCount = different.length - at
  }

  async #all(part: Part): Promise<Float64Array> {
    const all = new Float64Array(part.stored + part.waitingCount)
    for (let at = 0; at < part.stored; at += IN_BLOCK)
      await readAll(
        this.#file,
        bytesOf(all.subarray(at, at + IN_BLOCK)),
        (part.blocks[at / IN_BLOCK] ?? 0) * BLOCK_BYTES,
      )
    all.set(part.waiting.subarray(0, part.waitingCount), part.stored)
    return all
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Keeps the first of each, in place. */
function withoutRepeated(sorted: Float64Array): Float64Array {
  let kept = 0
  for (const each of sorted) if (kept === 0 || each !== sorted[kept - 1]) sorted[kept++] = each
  return sorted.subarray(0, kept)
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

async function readAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done)
    if (bytesRead === 0) throw new Error('the file of fingerprints was cut')
    done += bytesRead
  }
}
