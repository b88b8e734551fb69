import assert from 'node:assert/strict'
import type { Server } from '../server.ts'

interface Request {
  readonly server: Server
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Throws if they return another body or other headers, except for what differs from response to response. */
export async function assertSameResponse(one: Request, other: Request): Promise<void> {
  assert.deepEqual(await answerTo(other), await answerTo(one))
}

async function answerTo({ server: { port }, path, headers }: Request) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const body: unknown = await response.json()
  if (!response.ok || body === null) throw new Error(`${path} returned ${response.status} and ${JSON.stringify(body)}`)
  return { headers: [...response.headers].map(withoutChance), body }
}

function withoutChance([name, value]: [string, string]): readonly [string, string] {
  return name === 'date' || name === 'x-request-id' ? [name, ''] : [name, value.replace(/meta(=|%3D)\d+\.\d+/, 'meta')]
}
