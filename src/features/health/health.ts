import type { Platform } from '../../platform/platform.ts'

const PATIENCE_MILLISECONDS = 2_000

/** Each store and the key-value store, asked at the same time; silence is down. */
export async function storeStates(platform: Platform): Promise<Record<string, 'up' | 'down'>> {
  const asked = [
    ['meta', platform.meta] as const,
    ...platform.shards,
    ['key-value', platform.keyValue] as const,
  ]
  const states = await Promise.all(
    asked.map(async ([name, store]) => [name, (await answers(() => store.ping())) ? 'up' : 'down'] as const),
  )
  return Object.fromEntries(states)
}

async function answers(ping: () => Promise<void>): Promise<boolean> {
  let late: NodeJS.Timeout | undefined
  const silence = new Promise<boolean>((resolve) => {
    late = setTimeout(() => resolve(false), PATIENCE_MILLISECONDS)
  })
  const answered = ping().then(
    () => true,
    () => false,
  )
  return Promise.race([answered, silence]).finally(() => clearTimeout(late))
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
