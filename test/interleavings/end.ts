import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from './acts.ts'
import type { Footprint } from './footprint.ts'

/** The result of two acts: the response to each, and what is in the stores. */
export interface End {
  readonly told: readonly Outcome[]
  readonly footprint: Footprint
}

export type Names = readonly [first: string, second: string]

export function isOneOf({ told, footprint }: End, allowed: readonly End[]): boolean {
  return allowed.some((end) => isDeepStrictEqual(end, { told, footprint }))
}

export function words({ told, footprint }: End): string {
  return JSON.stringify({ told, ...footprint })
}
