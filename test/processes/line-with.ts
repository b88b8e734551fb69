import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Resolves with the first line that has these words; later output is thrown away. */
export async function lineWith(words: string, output: Readable): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: output })) {
    lines.push(line)
    if (!line.includes(words)) continue
    output.resume()
    return line
  }
  throw new Error(`it ended without saying "${words}": ${lines.join('\n').slice(-800)}`)
}
