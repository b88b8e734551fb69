import { isUtf8 } from 'node:buffer'
import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { isatty, ReadStream } from 'node:tty'
import { usage } from '../terminal/failure.ts'
import { type Io, readToEnd } from '../terminal/io.ts'

/** The content of a file that the user names. A pipe, like `<(…)`, is read to its end. */
export async function readContentFile(io: Io, file: string): Promise<Buffer> {
  try {
    if (statSync(file).isFIFO()) return await readToEnd(io, pipeAt(file))
    const handle = openSync(file, 'r')
    if (isatty(handle)) return await readToEnd(io, new ReadStream(handle))
    try {
      return readFileSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (io.interrupted.aborted) throw error
    throw usage(`cannot read ${file}: ${reasonOf(error)}`)
  }
}

/** A field must be text: JSON has nothing else. */
export function textOf(bytes: Buffer, from: string): string {
  if (!isUtf8(bytes)) throw usage(`${from} is not in UTF-8; convert it first`)
  return bytes.toString()
}

/** Avoids `fs`: a read that waits there for the writer cannot be interrupted. */
function pipeAt(file: string): Socket {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code === 'EISDIR' ? 'it is a folder' : error.message
}
