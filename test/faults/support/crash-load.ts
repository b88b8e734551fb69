import { randomUUID } from 'node:crypto'

/** What the service has acknowledged; every entry must outlive a crash. */
export interface Acknowledged {
  readonly users: Set<string>
  readonly feedbacks: Set<string>
  readonly reads: Set<string>
  readonly liveSessions: Map<string, string>
  readonly endedSessions: Set<string>
}

export function nothingYet(): Acknowledged {
  return {
    users: new Set(),
    feedbacks: new Set(),
    reads: new Set(),
    liveSessions: new Map(),
    endedSessions: new Set(),
  }
}

const PASSWORD = 'a raft of seven logs'

/** A user who signs up, writes, reads and leaves, one act after the other, until the server is gone. */
export async function liveUntilGone(
  url: string,
  acknowledged: Acknowledged,
  answered: () => void,
): Promise<void> {
  try {
    for (;;) await liveOnce(url, acknowledged, answered)
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}

async function liveOnce(url: string, acknowledged: Acknowledged, answered: () => void): Promise<void> {
  const email = `${randomUUID()}@example.com`
  const post = async (path: string, token: string | undefined, body: object) => {
    const answer = await postTo(url + path, token, body)
    answered()
    return answer
  }
  const { token, user } = await post('/api/auth/sign-up/email', undefined, {
    email,
    password: PASSWORD,
    name: email,
  })
  acknowledged.users.add(user.id)
  acknowledged.liveSessions.set(token, user.id)
  const { id } = await post('/api/submit_feedback', token, { type: 'load', content: email })
  acknowledged.feedbacks.add(id)
  await post('/api/read_notification', token, { id: `n-${id}` })
  acknowledged.reads.add(`n-${id} ${user.id}`)
  await post('/api/get_credit_summary', token, {})
  const second = await post('/api/auth/sign-in/email', undefined, { email, password: PASSWORD })
  acknowledged.liveSessions.set(second.token, user.id)
  // From here on the first session may or may not be valid: the response can be lost although the act was done.
  acknowledged.liveSessions.delete(token)
  await post('/api/auth/sign-out', token, {})
  acknowledged.endedSessions.add(token)
}

/** The connection broke: the request may or may not have taken effect. */
class Gone extends Error {}

interface Body {
  readonly id: string
  readonly token: string
  readonly user: { readonly id: string }
}

async function postTo(url: string, token: string | undefined, body: object): Promise<Body> {
  const { status, text } = await answerTo(url, token, body).catch((cause) => {
    throw new Gone('the server is gone', { cause })
  })
  if (status !== 200) throw new Error(`${url} answered ${status}: ${text}`)
  return JSON.parse(text)
}

async function answerTo(url: string, token: string | undefined, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

export async function isSignedIn(url: string, token: string): Promise<boolean> {
  const response = await fetch(`${url}/api/auth/get-session`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return (await response.json()) !== null
}
