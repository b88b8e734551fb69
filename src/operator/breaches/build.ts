import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BitWriter } from '../../platform/breaches/bits.ts'
import {
  BUCKET_BYTES_AT_MOST,
  CHECKSUM_BYTES,
  checksumOf,
  HEAD_BYTES,
  type Head,
  type Layout,
  layoutFor,
  OFFSET_BYTES,
  placeOf,
  writeHead,
} from '../../platform/breaches/layout.ts'
import { newId } from '../../rules/ids.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { firstIn } from '../output-folder.ts'
import { Fingerprints } from './fingerprints.ts'
import { fingerprintsOf, type Reading } from './lines.ts'

const WRITTEN_AT_ONCE = 1024 * 1024

/**
 * Writes beside `output` and renames at the end, so that a service never reads half a file. Its own files have names
 * that no other build has.
 */
export async function buildFilter(
  inputs: readonly string[],
  output: string,
  reading: Reading,
  now: number,
): Promise<Head> {
  await refuseFolder(output)
  const made = `${output}.${newId()}`
  await using cleaning = new AsyncDisposableStack()
  cleaning.defer(() => rm(made, { force: true }))
  const fingerprints = await firstIn(dirname(output), () => Fingerprints.open(made))
  cleaning.defer(() => fingerprints.close())
  for (const input of inputs)
    for await (const found of fingerprintsOf(input, reading)) {
      for (const each of found) {
        const stored = fingerprints.add(each)
        if (stored) await stored
      }
    }
  const entries = await fingerprints.sort()
  if (entries === 0) throw new OperatorError(`there is no password in ${inputs.join(', ')}; no list was made`)
  await using file = await open(made, 'wx')
  const head = await writeFilter(file, fingerprints, layoutFor(entries), now)
  // Not private, and often built by another user than the service's.
  await file.chmod(0o644)
  await file.sync()
  await rename(made, output)
  await syncFolder(dirname(output))
  return head
}

async function refuseFolder(output: string): Promise<void> {
  const found = await stat(output).catch(() => undefined)
  if (found?.isDirectory()) throw new OperatorError(`${output} is a folder, not a file`)
}

async function writeFilter(file: FileHandle, from: Fingerprints, layout: Layout, madeAt: number): Promise<Head> {
  const buckets = 2 ** layout.bucketBits
  const offsets = new Writer(file, HEAD_BYTES)
  const content = new Writer(file, HEAD_BYTES + (buckets + 1) * OFFSET_BYTES)
  const bits = new BitWriter(BUCKET_BYTES_AT_MOST - CHECKSUM_BYTES)
  let bucket = 0
  let last = 0
  let entries = 0
  const endBucket = async () => {
    await offsets.add(offsetBytes(content.position))
    const coded = bits.take()
    const checksum = Buffer.alloc(CHECKSUM_BYTES)
    checksum.writeUInt32BE(checksumOf(bucket, coded))
    await content.add(coded)
    await content.add(checksum)
    bucket++
    last = 0
  }
  for await (const sorted of from.sorted())
    for (const fingerprint of sorted) {
      const place = placeOf(fingerprint, layout)
      while (bucket < place.bucket) await endBucket()
      if (!bits.hasRoom(place.rest - last, layout.riceBits))
        throw new OperatorError('the lines are not spread evenly, as SHA-1 hashes are; no list was made')
      bits.add(place.rest - last, layout.riceBits)
      last = place.rest
      entries++
    }
  while (bucket < buckets) await endBucket()
  await offsets.add(offsetBytes(content.position))
  await offsets.flush()
  await content.flush()
  const head = { ...layout, entries, bytes: content.position, madeAt }
  await file.write(writeHead(head), 0, HEAD_BYTES, 0)
  return head
}

function offsetBytes(position: number): Buffer {
  const bytes = Buffer.alloc(OFFSET_BYTES)
  bytes.writeUIntBE(position, 0, OFFSET_BYTES)
  return bytes
}

/** Writes one part of a file from its beginning on, some of it at once. */
class Writer {
  readonly #file: FileHandle
  readonly #waiting = Buffer.alloc(WRITTEN_AT_ONCE)
  #count = 0
  #written: number

  constructor(file: FileHandle, begin: number) {
    this.#file = file
    this.#written = begin
  }

  /** Where the next byte goes. */
  get position(): number {
    return this.#written + this.#count
  }

  async add(bytes: Uint8Array): Promise<void> {
    if (this.#count + bytes.length > WRITTEN_AT_ONCE) await this.flush()
    this.#waiting.set(bytes, this.#count)
    this.#count += bytes.length
  }

  async flush(): Promise<void> {
    let done = 0
    while (done < this.#count)
      done += (await this.#file.write(this.#waiting, done, this.#count - done, this.#written + done)).bytesWritten
    this.#written += this.#count
    this.#count = 0
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}
