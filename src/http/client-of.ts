import type { Context } from 'hono'
import type { Client } from './client.ts'

/** Set once per request by `identify`. */
export function clientOf(context: Context): Client {
  return context.get('client') as Client
}
