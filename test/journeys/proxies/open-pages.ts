import { setTimeout as wait } from 'node:timers/promises'
import { untilSo } from '../../faults/support/replicated.ts'
import { Person } from '../../service/people.ts'

interface Front {
  request(path: string, init?: RequestInit): Promise<Response>
}

const EACH = 7

/**
 * Signs up this many users at one of the processes, and keeps pages of each open behind the proxy, as a browser does: a
 * page that is disconnected connects again when it was told to.
 */
export async function openPages(front: Front, member: Front, users: number) {
  const left = new AbortController()
  const refusals: string[] = []
  const open = new Set<string>()

  const stayOpen = async (person: Person, page: string) => {
    const headers = { authorization: `Bearer ${person.token}` }
    while (!left.signal.aborted) {
      const { status, body } = await front.request('/api/live', { headers, signal: left.signal })
      if (status !== 200 || !body) return void refusals.push(`${page}: ${status}`)
      open.add(page)
      let retry = 0
      for await (const sent of body.pipeThrough(new TextDecoderStream())) {
        const [, told] = /^retry: (\d+)/m.exec(sent) ?? []
        if (told !== undefined) retry = Number(told)
      }
      open.delete(page)
      await wait(retry, undefined, { signal: left.signal })
    }
  }
  const people = Array.from({ length: users }, (_, i) => {
    const fromElsewhere = (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('x-forwarded-for', `10.1.0.${i}`)
      return member.request(path, { ...init, headers })
    }
    return new Person({ request: fromElsewhere }, `page-${i}@example.com`, 'a raft of seven logs')
  })
  for (const person of people) await person.signUp()
  const pages = people.flatMap((user) => Array.from({ length: EACH }, (_, i) => ({ user, page: `${user.email} ${i}` })))
  const lives = pages.map(({ user, page }) =>
    stayOpen(user, page).catch((error: unknown) => {
      if (!left.signal.aborted) refusals.push(`${page}: ${error}`)
    }),
  )
  const allOpen = () => untilSo('every page is open', async () => open.size + refusals.length >= pages.length)
  await allOpen()
  return {
    allOpen,
    async leave(): Promise<readonly string[]> {
      left.abort()
      await Promise.all(lives)
      return refusals
    },
  }
}
