import type { Config } from '../../../src/config/config.ts'
import { RELEASES } from '../../fixtures/lived-in.ts'
import type { Finished } from '../../processes/installation.ts'
import type { Address } from '../actors/browser.ts'
import type { Backup } from '../checker/restored.ts'
import type { Dice } from '../dice.ts'
import type { History } from '../history.ts'
import type { Letters } from './letters.ts'
import type { ServiceProcess } from './service-process.ts'

export type Engine = 'sqlite' | 'postgres'

/** One process with its files, a fleet on PostgreSQL, or a process of an older release beside one of this program. */
export const KINDS = ['sqlite', 'postgres', ...RELEASES] as const
export type Kind = (typeof KINDS)[number]

/** The service as it is installed, and what can be done to it. */
export interface World {
  readonly engine: Engine
  readonly config: Config
  readonly processes: readonly ServiceProcess[]
  readonly mail: Letters
  readonly administrator: { readonly email: string; readonly password: string }
  readonly faults: Readonly<Record<string, Fault>>
  someProcess(dice: Dice): Address
  /** A command of the operator. */
  run(args: readonly string[]): Promise<Finished>
  /** Lets everything run and respond again. */
  heal(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface Fault {
  readonly weight: number
  /** Resolves when the fault is over, with what was done, in words. */
  readonly happen: (call: FaultCall) => Promise<string>
}

export interface FaultCall {
  readonly dice: Dice
  readonly history: History
  /** Ids of users, to be moved. */
  readonly users: readonly string[]
  /** Reads all that a restored backup has, and compares it with what was done; returns how many responses it compared. */
  readonly judge: (restored: Address, backup: Backup) => Promise<number>
}

/** The milliseconds a fault lasts. */
export function lasting(dice: Dice): number {
  return 300 + dice.below(2_500)
}
