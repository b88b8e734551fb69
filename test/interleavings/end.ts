import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from './acts.ts'
import type { Footprint } from './footprint.ts'

/** What came of two acts: what each was told, and what the stores hold. */
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
