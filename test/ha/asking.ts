import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'

/** A certificate of the cluster's, as certificates.sh makes it. */
export interface Credentials {
  readonly ca: string
  readonly cert?: string
  readonly key?: string
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface Asked {
  readonly method?: string
  readonly body?: unknown
  /** `user:password` */
  readonly auth?: string
  readonly patienceMilliseconds?: number
}

/** A request to Patroni or etcd; rejects if the handshake is refused. */
export async function ask(url: string, credentials: Credentials, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', body, auth, patienceMilliseconds = 1_000 } = asked
  const signal = AbortSignal.timeout(patienceMilliseconds)
  const sent = request(url, { ...credentials, method, agent: false, signal, ...(auth && { auth }) })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response]: readonly IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error('no response')
  return { status: response.statusCode ?? 0, body: await text(response) }
}
