import { queryFor, register } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'

/** Each character takes three in an address. */
export const LONGEST_STATE = '%'.repeat(4096)

/** The address of a page that remembers an application's request: heads can have 32 KB. */
export const LONGEST_ADDRESS = `/sign-in?next=/${'a'.repeat(31_000)}`

/** The path of a request of an application whose response, an error, goes back to it without anybody signing in. */
export async function longestRequest(administrator: Person): Promise<string> {
  const asked = queryFor(await register(administrator), newVerifier(), {
    prompt: 'none',
    state: LONGEST_STATE,
  })
  return `/oauth/authorize?${new URLSearchParams(asked)}`
}
