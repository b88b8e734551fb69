import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { forTerminal } from '../../src/rules/one-line.ts'
import { cleanJson } from './text.ts'

/** The parts of its machine that the client uses, apart from its folder and the network. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal
  readonly now: () => number
  /** Rejects as soon as the user interrupts. */
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly openBrowser: (url: string) => void
}

/** Progress, prompts and reasons, without characters that control a terminal. Standard output is for data alone. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${forTerminal(text)}\n`)
}

export function print(io: Io, text: string): void {
  io.stdout.write(`${io.isTTY.stdout ? forTerminal(text) : text}\n`)
}

export function printJson(io: Io, value: unknown): void {
  print(io, cleanJson(value))
}

export function readStdin(io: Io): Promise<Buffer> {
  return readToEnd(io, io.stdin)
}

/** Rejects as soon as the user interrupts. */
export async function readToEnd(io: Io, stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of addAbortSignal(io.interrupted, stream)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
