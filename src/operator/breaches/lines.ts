import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { fingerprintOf } from '../../platform/breaches/layout.ts'
import { OperatorError } from '../../rules/operator-error.ts'

const CHUNK_BYTES = 1024 * 1024
const LINE_BYTES_AT_MOST = 64 * 1024
const NEWLINE = 0x0a
const RETURN = 0x0d
const MARK = Buffer.from('\uFEFF')
const MARKS_OF_UTF16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

export interface Reading {
  /** The lines are passwords, not their hashes. */
  readonly isPlain: boolean
  /** Lines with a smaller count are left out; one without a count counts once. */
  readonly countAtLeast: number
}

/** The fingerprints of a file's lines, in arrays; `-` is standard input. */
export async function* fingerprintsOf(path: string, reading: Reading): AsyncGenerator<readonly number[]> {
  const source = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const read = reading.isPlain ? plainLine : hashLine
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  const refuseTooLong = ({ length }: Buffer) => {
    if (length > LINE_BYTES_AT_MOST) throw new OperatorError(`${path}, line ${line + 1}, is longer than 64 KB`)
  }
  const taken = (whole: Buffer, found: number[]) => {
    refuseTooLong(whole)
    line++
    const bytes = line === 1 ? withoutMark(whole, path) : whole
    const content = bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
    if (content.length === 0) return
    const fingerprint = read(content, reading)
    if (fingerprint === 'malformed')
      throw new OperatorError(
        `${path}, line ${line}, is not a SHA-1 hash of 40 digits, with or without a count; --plain reads passwords`,
      )
    if (fingerprint !== undefined) found.push(fingerprint)
  }
  for await (const chunk of source) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const found: number[] = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      taken(bytes.subarray(start, end), found)
      start = end + 1
    }
    rest = bytes.subarray(start)
    refuseTooLong(rest)
    yield found
  }
  const found: number[] = []
  taken(rest, found)
  yield found
}

/** A file can begin with a byte order mark. In UTF-16, no line has the bytes of its password. */
function withoutMark(bytes: Buffer, path: string): Buffer {
  const begins = (mark: Buffer) => bytes.subarray(0, mark.length).equals(mark)
  if (MARKS_OF_UTF16.some(begins)) throw new OperatorError(`${path} is not in UTF-8; convert it first`)
  return begins(MARK) ? bytes.subarray(MARK.length) : bytes
}

function plainLine(line: Buffer): number {
  return fingerprintOf(hash('sha1', line, 'hex'))
}

const HASH_LINE = /^[0-9a-f]{40}(?::(\d{1,15}))?\s*$/i

function hashLine(line: Buffer, { countAtLeast }: Reading): number | 'malformed' | undefined {
  const text = line.toString('latin1')
  const match = HASH_LINE.exec(text)
  if (!match) return 'malformed'
  return Number(match[1] ?? 1) < countAtLeast ? undefined : fingerprintOf(text.slice(0, 40))
}
