import type { VerifierOptions } from '../options.ts'
import { findHostName } from '../platform.ts'

/** The build puts the package's version here. */
declare const GATEHOUSE_VERSION: string | undefined

/** What a verifier says of itself with each request, so that Gatehouse can say who has read what. */
export interface Report {
  readonly verifier: string
  readonly name: string
  readonly version: string
  /** For how many seconds it may accept what ended, once it is cut off. */
  readonly outage: number
}

const LONGEST_NAME = 64

export function reportOf({ name }: Pick<VerifierOptions, 'name'>, outageSeconds: number, maker: string): Report {
  const isName: boolean = name === undefined || (typeof name === 'string' && name.length <= LONGEST_NAME)
  if (!isName) throw new TypeError(`${maker}: name must be a text of at most ${LONGEST_NAME} characters`)
  return {
    verifier: crypto.randomUUID(),
    name: name ?? (findHostName() ?? '').slice(0, LONGEST_NAME),
    version: typeof GATEHOUSE_VERSION === 'string' ? GATEHOUSE_VERSION : '',
    outage: Math.ceil(outageSeconds),
  }
}
