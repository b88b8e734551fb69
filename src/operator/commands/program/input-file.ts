import { stat } from 'node:fs/promises'

/** A line for the operator, not a bug. */
class InputUnusable extends Error {
  override readonly name = 'InputUnusable'
}

/** Before a command does anything: the file that it will read exists and is not a folder. */
export async function checkInput(file: string): Promise<void> {
  if ((await stat(file)).isDirectory()) throw new InputUnusable(`${file} is a folder, not a file`)
}
