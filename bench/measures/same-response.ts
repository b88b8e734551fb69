import assert from 'node:assert/strict'
import type { Server } from '../server.ts'

interface Request {
  readonly server: Server
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent by POST. */
  readonly body?: string
}

/** Throws if they do not return the same JSON: the other would do other work. */
export async function assertSameBody(one: Request, other: Request): Promise<void> {
  assert.deepEqual((await answerTo(other)).body, (await answerTo(one)).body)
}

/** The same for lists of rows that only ours shows without the columns that are its own. */
export async function assertSameRows(one: Request, other: Request): Promise<void> {
  assert.deepEqual(rowsIn(await answerTo(other)), rowsIn(await answerTo(one)))
}

function rowsIn({ body }: { readonly body: unknown }) {
  const { items, total } = body as { items: readonly { readonly id: string }[]; total: number }
  return { ids: items.map(({ id }) => id), total }
}

/** The same for the headers, except for what differs from response to response. */
export async function assertSameResponse(one: Request, other: Request): Promise<void> {
  assert.deepEqual(await answerTo(other), await answerTo(one))
}

async function answerTo({ server: { port }, path, headers, body }: Request) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  })
  const json: unknown = await response.json()
  if (!response.ok || json === null) throw new Error(`${path} returned ${response.status} and ${JSON.stringify(json)}`)
  return { headers: [...response.headers].map(withoutChance), body: json }
}

function withoutChance([name, value]: [string, string]): readonly [string, string] {
  return name === 'date' || name === 'x-request-id' ? [name, ''] : [name, value.replace(/meta(=|%3D)\d+\.\d+/, 'meta')]
}
