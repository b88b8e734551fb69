import { hash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { reasonOf } from '../../rules/finding.ts'
import type { Log } from '../log/log.ts'
import { RepeatedFailure } from '../log/repeated-failure.ts'
import { Filter } from './filter.ts'

/** The passwords that are known to be stolen, as the operator's file lists them. */
export interface Breaches {
  /** False while the file is missing or damaged. */
  isListed(password: string): Promise<boolean>
  /** Undefined if no file is named. */
  state(): Promise<'up' | 'degraded' | undefined>
}

const NO_BREACHES: Breaches = { isListed: async () => false, state: async () => undefined }

export function sha1Of(password: string): string {
  return hash('sha1', password, 'hex')
}

export function openBreaches({ breachList }: Pick<Config, 'breachList'>, log: Log): Breaches {
  return breachList === undefined ? NO_BREACHES : new BreachFile(breachList, log)
}

/** Opens the file for each question, which costs little beside a password's hash, so that a new file counts at once. */
class BreachFile implements Breaches {
  readonly #path: string
  readonly #failure: RepeatedFailure
  /** The file in which a damaged place was met. */
  #damaged: string | undefined
  /** The file of which samples were read. */
  #sampled: string | undefined

  constructor(path: string, log: Log) {
    this.#path = path
    this.#failure = new RepeatedFailure(log, {
      failed: 'the list of stolen passwords cannot be read',
      ended: 'the list of stolen passwords is read again',
    })
  }

  async isListed(password: string): Promise<boolean> {
    let identity: string | undefined
    try {
      await using filter = await Filter.open(this.#path)
      identity = filter.identity
      return await filter.has(sha1Of(password))
    } catch (error) {
      this.#damaged = identity
      this.#failure.failed(reasonOf(error), 'warn')
      return false
    }
  }

  async state(): Promise<'up' | 'degraded'> {
    let identity: string | undefined
    try {
      await using filter = await Filter.open(this.#path)
      identity = filter.identity
      if (identity === this.#damaged) return 'degraded'
      if (identity !== this.#sampled) await filter.sample()
      this.#sampled = identity
      this.#failure.ended()
      return 'up'
    } catch (error) {
      this.#damaged = identity
      this.#failure.failed(reasonOf(error), 'warn')
      return 'degraded'
    }
  }
}
