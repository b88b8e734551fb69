import { stat } from 'node:fs/promises'
import { OperatorError } from '../../../rules/operator-error.ts'
import { UsageError } from './arguments.ts'

/** Checks before a command does anything that its input file exists and is not a folder. */
export async function checkInput(file: string): Promise<void> {
  if (file === '-') throw new UsageError('FILE cannot be standard input; name a file')
  if ((await stat(file)).isDirectory()) throw new OperatorError(`${file} is a folder, not a file`)
}
