import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { TransferRefused } from './lines.ts'

/** Without the byte order mark that a file can begin with. */
export async function readText(file: string): Promise<string> {
  const bytes = await readFile(file)
  if (!isUtf8(bytes)) throw new TransferRefused(`${file} is not in UTF-8; convert it first`)
  return new TextDecoder().decode(bytes)
}
