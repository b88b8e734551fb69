import type { Platform } from '../platform/platform.ts'
import type { Caller } from '../rules/caller.ts'
import type { Exchange } from './exchange.ts'

/** Implemented by the sessions slice; handed to `protect` by `app.ts`. */
export type FindCaller = (platform: Platform, exchange: Exchange) => Promise<Caller | undefined>
