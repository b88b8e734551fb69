import type { z } from 'zod'
import { openIfOurs } from '../../platform/secrets/secret-box.ts'
import type { Call } from '../route.ts'
import { ownCookie } from './own-cookie.ts'

type Browser = Pick<Call, 'platform' | 'exchange'>

/** A cookie that only this service can make or read. */
export function sealedCookie<Schema extends z.ZodType>(
  name: string,
  { purpose, schema, lifetimeSeconds }: { purpose: string; schema: Schema; lifetimeSeconds: number },
) {
  const cookie = ownCookie(name)
  return {
    /** Undefined if it is absent, forged, or sealed under another key. */
    of({ platform: { config, secretBox }, exchange }: Browser): z.output<Schema> | undefined {
      const sealed = cookie.of(exchange, config)
      const text = sealed === undefined ? undefined : openIfOurs(secretBox, purpose, sealed)
      return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
    },
    set({ platform: { config, secretBox }, exchange }: Browser, value: z.input<Schema>): void {
      cookie.set(exchange, config, secretBox.seal(purpose, JSON.stringify(value)), lifetimeSeconds)
    },
    clear: ({ platform, exchange }: Browser) => cookie.clear(exchange, platform.config),
  }
}
