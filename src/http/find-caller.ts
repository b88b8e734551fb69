import type { Platform } from '../platform/platform.ts'
import type { Caller } from '../rules/caller.ts'
import type { Exchange } from './exchange.ts'

/** Implemented by the callers slice; `app.ts` passes it to `protect`. */
export type FindCaller = (platform: Platform, exchange: Exchange) => Promise<Caller | undefined>

/** The header with the id of the user whom the page shows. */
export const ACCOUNT_ID = 'x-account-id'
