import { readFile } from 'node:fs/promises'
import { addressesOf } from '../../config/addresses.ts'
import { environment } from '../../config/config.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { UsageError } from '../commands/program/arguments.ts'
import { checkInput } from '../commands/program/input-file.ts'

const FORM = 'DATABASE is postgres://…, env:NAME or file:PATH'

/** `postgres://…`, or where it stands: in an argument, everybody on the machine could read its password. */
export async function addressFrom(given: string): Promise<readonly string[]> {
  const address = await resolved(given)
  const addresses = /^postgres(ql)?:\/\//.test(address) ? addressesOf(address) : []
  // The address can contain a password, so no message repeats it.
  if (addresses.length === 0 || !addresses.every((one) => URL.canParse(one))) throw new UsageError(FORM)
  return addresses
}

async function resolved(given: string): Promise<string> {
  const [, kind, place = ''] = /^(env|file):(.*)$/s.exec(given) ?? []
  if (kind === 'file') {
    await checkInput(place)
    return (await readFile(place, 'utf8')).trim()
  }
  if (kind !== 'env') return given
  const env = environment()
  const value = Object.hasOwn(env, place) ? env[place] : undefined
  if (!value) throw new OperatorError(`the variable ${place} is not set`)
  return value
}
