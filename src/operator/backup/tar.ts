import { OperatorError } from '../../rules/operator-error.ts'
/** A file on its way into or out of an archive. */
export interface TarEntry {
  readonly name: string
  readonly bytes: number
  readonly content: AsyncIterable<Buffer>
}

const BLOCK = 512
const OCTAL_LIMIT = 8 ** 11
const END = Buffer.alloc(BLOCK * 2)

/** The POSIX format, so that `tar xzf` opens a backup too. */
export async function* packed(entries: AsyncIterable<TarEntry>, modifiedAt: number): AsyncIterable<Buffer> {
  for await (const { name, bytes, content } of entries) {
    yield headerOf(name, bytes, modifiedAt)
    yield* content
    yield Buffer.alloc(paddingOf(bytes))
  }
  yield END
}

/** Each entry's content must be read to its end before the next one comes. */
export async function* unpacked(archive: AsyncIterable<Buffer>): AsyncIterable<TarEntry> {
  const bytes = new Bytes(archive)
  for (;;) {
    const header = await bytes.take(BLOCK)
    if (header.every((byte) => byte === 0)) return
    const entry = entryOf(header)
    yield { ...entry, content: bytes.stream(entry.bytes) }
    await bytes.take(paddingOf(entry.bytes))
  }
}

function headerOf(name: string, bytes: number, modifiedAt: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  writeSize(header, bytes)
  header.write(`${octal(Math.floor(modifiedAt / 1000))}\0`, 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Sizes from 8 GiB on are in base 256, as GNU tar reads them. */
function writeSize(header: Buffer, bytes: number): void {
  if (bytes < OCTAL_LIMIT) {
    header.write(`${octal(bytes)}\0`, 124)
    return
  }
  header.writeUInt8(0x80, 124)
  header.writeBigUInt64BE(BigInt(bytes), 128)
}

function entryOf(header: Buffer): Omit<TarEntry, 'content'> {
  const sum = Number.parseInt(header.toString('latin1', 148, 154), 8)
  const blank = Buffer.from(header).fill(' ', 148, 156)
  if (sum !== checksumOf(blank)) throw new OperatorError('the archive is damaged: a header does not add up')
  const bytes =
    header.readUInt8(124) === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString('latin1', 124, 135), 8)
  return { name: header.toString('utf8', 0, 100).replace(/\0.*$/s, ''), bytes }
}

function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0)
}

function octal(value: number): string {
  return value.toString(8).padStart(11, '0')
}

function paddingOf(bytes: number): number {
  return (BLOCK - (bytes % BLOCK)) % BLOCK
}

/** Takes exact counts from chunks of any size. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.stream(count)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *stream(count: number): AsyncIterable<Buffer> {
    let missing = count
    while (missing > 0) {
      if (this.#rest.length === 0) await this.#fill()
      const part = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(part.length)
      missing -= part.length
      yield part
    }
  }

  async #fill(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) throw new OperatorError('the archive is damaged: it ends too early')
    this.#rest = value
  }
}
