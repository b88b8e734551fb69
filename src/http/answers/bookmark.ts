import type { Config } from '../../config/config.ts'
import type { Exchange } from '../exchange.ts'

const HEADER = 'x-db-meta-bookmark'
const COOKIE = 'db_meta_bookmark'

/** The position that this request must see, and the one for the next request; for every /api route. */
export function bookmarkKeeper({ isHttps }: Config) {
  const attributes = `; Path=/; HttpOnly${isHttps ? '; Secure' : ''}; SameSite=Lax`
  return {
    of: (exchange: Exchange) => exchange.header(HEADER) ?? exchange.cookie(COOKIE),
    keep(exchange: Exchange, reached: string): void {
      exchange.setHeader(HEADER, reached)
      exchange.addCookie(`${COOKIE}=${encodeURIComponent(reached)}${attributes}`)
    },
  }
}
