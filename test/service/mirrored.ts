import pg from 'pg'
import { hostSource } from '../../src/operator/mirror/host-source.ts'
import { type Mirroring, mirror } from '../../src/operator/mirror/mirror.ts'
import type { Source } from '../../src/operator/mirror/source.ts'
import { verify } from '../../src/operator/mirror/verify.ts'
import type { Connect, Connection } from '../../src/operator/named-database/connection.ts'
import { freshDatabase, rowsIn, testServer } from '../postgres/databases.ts'
import { it as withService } from './it.ts'
import type { Service } from './service.ts'

/** A product with a database of its own. */
export interface Product {
  readonly url: string
  /** Rows as objects. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  sql(text: string, values?: readonly unknown[]): Promise<any[]>
  /** What mirrors have said. */
  readonly said: string[]
}

export const it = withService.extend<{ product: Product }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  product: async ({}, use) => {
    const database = await freshDatabase(await testServer())
    const { url } = database
    await use({ url, sql: (text, values) => rowsIn(url, text, values), said: [] })
    await database.drop()
  },
})

type Changes = Partial<Mirroring>

/** A mirror that ends when it has caught up. Everything that has happened is placed first. */
export async function mirrorOnce(service: Service, product: Product, changes: Changes = {}): Promise<void> {
  await service.runJob('events')
  await mirror(mirroringOf(service, product, changes))
}

export function mirroringOf(service: Service, product: Product, changes: Changes = {}): Mirroring {
  const ended = changes.ended ?? new AbortController().signal
  return {
    source: hostSource(service.platform, ended),
    connect: connectionTo(product.url),
    schema: 'gatehouse',
    keepsDeleted: false,
    isOnce: true,
    isAgain: false,
    say: (words) => product.said.push(words),
    now: service.clock.now,
    ended,
    ...changes,
  }
}

export function connectionTo(url: string): Connect {
  return async () => {
    const client = new pg.Client(url)
    client.on('error', () => undefined)
    await client.connect()
    return client as unknown as Connection
  }
}

/** In the form of the command's lines. */
export async function compared(service: Service, product: Product, source?: Source): Promise<readonly string[]> {
  await service.runJob('events')
  const asked = source ?? hostSource(service.platform, new AbortController().signal)
  const { equal, different } = await verify(asked, connectionTo(product.url), 'gatehouse')
  if (different.length === 0) return [`${equal} rows are equal`]
  return different.map(({ table, id, columns }) => `${table} ${id}: ${columns}`)
}
