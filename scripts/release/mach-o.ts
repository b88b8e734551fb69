// Programs of macOS (Mach-O, 64 bits): without the symbols that only a debugger needs, and signed. Apple's processors
// run nothing that is not signed; this signature names nobody ("ad hoc"), as linkers make it.
import { createHash } from 'node:crypto'

const HEADER_BYTES = 32
const SEGMENT = 0x19
const SYMBOLS = 0x2
const DYNAMIC_SYMBOLS = 0xb
const SIGNATURE = 0x1d
const SYMBOL_BYTES = 16
/** Either bit in an entry of the indirect table means that it is not an index. */
const NO_INDEX = 0xc0000000

/** Local symbols are first in the table, and the table is behind everything else that is linked. */
export function withoutLocalSymbols(program: Buffer): Buffer {
  const { symbols, dynamic, linked } = partsOf(program)
  const [table, count, names] = [8, 12, 16].map((at) => program.readUInt32LE(symbols + at)) as [number, number, number]
  const local = program.readUInt32LE(dynamic + 12)
  const [indirect, indirectCount] = [56, 60].map((at) => program.readUInt32LE(dynamic + at)) as [number, number]
  const kept = Buffer.from(program.subarray(table + local * SYMBOL_BYTES, table + count * SYMBOL_BYTES))
  const texts: Buffer[] = [Buffer.from(' \0')]
  let length = 2
  for (let at = 0; at < kept.length; at += SYMBOL_BYTES) {
    const start = names + kept.readUInt32LE(at)
    const text = program.subarray(start, program.indexOf(0, start) + 1)
    kept.writeUInt32LE(length, at)
    texts.push(text)
    length += text.length
  }
  const places = Buffer.from(program.subarray(indirect, indirect + indirectCount * 4))
  for (let at = 0; at < places.length; at += 4) {
    const index = places.readUInt32LE(at)
    if ((index & NO_INDEX) === 0) places.writeUInt32LE(index - local, at)
  }
  const stripped = Buffer.concat([program.subarray(0, table), kept, places, ...texts, Buffer.alloc(-length & 7)])
  stripped.writeUInt32LE(count - local, symbols + 12)
  stripped.writeUInt32LE(table + kept.length + places.length, symbols + 16)
  stripped.writeUInt32LE(length + (-length & 7), symbols + 20)
  stripped.writeUInt32LE(0, dynamic + 12)
  for (const at of [16, 24]) stripped.writeUInt32LE(program.readUInt32LE(dynamic + at) - local, dynamic + at)
  stripped.writeUInt32LE(table + kept.length, dynamic + 56)
  endAt(stripped, linked, stripped.length)
  return stripped
}

const PAGE_BYTES = 4096
const HASH_BYTES = 32
const DIRECTORY_BYTES = 88
const DIRECTORY_AT = 20
const AD_HOC_BY_LINKER = 0x20002
const MAIN_PROGRAM = 1

/** Signs a program that has no signature. */
export function signed(program: Buffer, name: string): Buffer {
  const { linked, text, end, count } = partsOf(program)
  const code = Buffer.concat([program, Buffer.alloc(-program.length & 15)])
  const hashes = Math.ceil(code.length / PAGE_BYTES)
  const hashesAt = DIRECTORY_BYTES + name.length + 1
  const length = DIRECTORY_AT + hashesAt + hashes * HASH_BYTES
  if (!code.subarray(end, end + 16).equals(Buffer.alloc(16))) throw new Error('no room to name a signature')
  code.writeUInt32LE(count + 1, 16)
  code.writeUInt32LE(end + 16 - HEADER_BYTES, 20)
  for (const [i, word] of [SIGNATURE, 16, code.length, length].entries()) code.writeUInt32LE(word, end + i * 4)
  endAt(code, linked, code.length + length)
  const signature = Buffer.alloc(length)
  const directory = [
    ...[0xfade0cc0, length, 1, 0, DIRECTORY_AT],
    ...[
      0xfade0c02,
      length - DIRECTORY_AT,
      0x20400,
      AD_HOC_BY_LINKER,
      hashesAt,
      DIRECTORY_BYTES,
      0,
      hashes,
      code.length,
    ],
  ]
  for (const [i, word] of directory.entries()) signature.writeUInt32BE(word, i * 4)
  // SHA-256, pages of 2^12 bytes.
  signature.set([HASH_BYTES, 2, 0, 12], DIRECTORY_AT + 36)
  signature.writeBigUInt64BE(code.readBigUInt64LE(text + 40), DIRECTORY_AT + 64)
  signature.writeBigUInt64BE(code.readBigUInt64LE(text + 48), DIRECTORY_AT + 72)
  signature.writeBigUInt64BE(BigInt(MAIN_PROGRAM), DIRECTORY_AT + 80)
  signature.write(name, DIRECTORY_AT + DIRECTORY_BYTES)
  for (let i = 0; i < hashes; i++) {
    const page = code.subarray(i * PAGE_BYTES, (i + 1) * PAGE_BYTES)
    signature.set(createHash('sha256').update(page).digest(), DIRECTORY_AT + hashesAt + i * HASH_BYTES)
  }
  return Buffer.concat([code, signature])
}

interface Parts {
  /** The place of the commands that describe them. */
  readonly symbols: number
  readonly dynamic: number
  readonly text: number
  readonly linked: number
  /** The end of the commands. */
  readonly end: number
  readonly count: number
}

function partsOf(program: Buffer): Parts {
  const count = program.readUInt32LE(16)
  const found = new Map<string, number>()
  let at = HEADER_BYTES
  for (let i = 0; i < count; i++) {
    const kind = program.readUInt32LE(at)
    const segment = kind === SEGMENT ? program.toString('latin1', at + 8, at + 24).replace(/\0+$/, '') : kind
    found.set(String(segment), at)
    at += program.readUInt32LE(at + 4)
  }
  if (found.has(String(SIGNATURE))) throw new Error('it is signed already')
  const of = (name: string | number) => found.get(String(name)) ?? 0
  return {
    symbols: of(SYMBOLS),
    dynamic: of(DYNAMIC_SYMBOLS),
    text: of('__TEXT'),
    linked: of('__LINKEDIT'),
    end: at,
    count,
  }
}

const MEMORY_PAGE_BYTES = 16_384

/** Linked data reaches to the end of the file. */
function endAt(program: Buffer, linked: number, end: number): void {
  const bytes = end - Number(program.readBigUInt64LE(linked + 40))
  program.writeBigUInt64LE(BigInt(bytes), linked + 48)
  program.writeBigUInt64LE(BigInt(bytes + (-bytes & (MEMORY_PAGE_BYTES - 1))), linked + 32)
}
