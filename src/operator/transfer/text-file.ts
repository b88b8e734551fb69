import { type FileHandle, open } from 'node:fs/promises'
import { OperatorError } from '../../rules/operator-error.ts'

/** Drops the byte order mark that a file can begin with. */
export async function readText(file: string): Promise<string> {
  await using handle = await open(file)
  let all = ''
  for await (const text of textIn(handle, file)) all += text
  return all
}

const BYTES_AT_ONCE = 256 * 1024

/**
 * Lines end with a line feed and nothing else. Node's `readLines` also splits at U+2028 and U+2029, which a text in
 * JSON can contain.
 */
export async function* linesIn(handle: FileHandle, file: string): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const text of textIn(handle, file)) {
    const [next = '', ...following] = text.split('\n')
    begun.push(next)
    for (const piece of following) {
      yield begun.join('')
      begun = [piece]
    }
  }
  const last = begun.join('')
  if (last !== '') yield last
}

async function* textIn(handle: FileHandle, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of bytesIn(handle)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new OperatorError(`${file} is not in UTF-8; convert it first`, { cause })
  }
}

/** Reads from the beginning, also the second time; a pipe cannot be rewound. */
async function* bytesIn(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const isFile = (await handle.stat()).isFile()
  const piece = new Uint8Array(BYTES_AT_ONCE)
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, isFile ? position : null)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    position += bytesRead
  }
}
