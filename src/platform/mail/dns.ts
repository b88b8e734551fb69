import { Resolver } from 'node:dns/promises'

/** The public name service, as far as mail needs it. */
export interface Dns {
  /** The texts that are published for a name: none if it has none. Throws if that cannot be found out in time. */
  texts(name: string): Promise<readonly string[]>
}

const TRY_MILLISECONDS = 2_000
/** All tries at all name servers together. */
const PATIENCE_MILLISECONDS = 5_000
const NOTHING_PUBLISHED = ['ENODATA', 'ENOTFOUND']

export function openDns(): Dns {
  return {
    async texts(name) {
      const resolver = new Resolver({ timeout: TRY_MILLISECONDS, tries: 2 })
      const impatience = setTimeout(() => resolver.cancel(), PATIENCE_MILLISECONDS)
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
      } catch (error) {
        if (error instanceof Error && 'code' in error && NOTHING_PUBLISHED.includes(String(error.code)))
          return []
        throw error
      } finally {
        clearTimeout(impatience)
      }
    },
  }
}
