import { join } from 'node:path'
import { checkName } from './credentials/credentials.ts'
import { readPrivateFile, replaceFile } from './credentials/file.ts'
import { privateFolder } from './credentials/folder.ts'
import { withLock } from './credentials/lock.ts'
import type { Io } from './terminal/io.ts'

export const bookmarkHeader = 'x-db-meta-bookmark'
const fromPrimary = 'first-primary'

/** Undefined for a file with other content, which no request could send. */
export function findBookmark(io: Io, name: string): string | undefined {
  const text = readPrivateFile(io, fileOf(io, name))
  return text !== undefined && /^[\x21-\x7e]{1,4096}$/.test(text) ? text : undefined
}

/**
 * Keeps the bookmark `answered` from the response to a request that was sent with `sent`. Bookmarks are opaque,
 * so which of two simultaneous responses is later is unknown: the next request then reads from the primary.
 */
export async function keepBookmark(io: Io, name: string, sent: string | undefined, answered: string): Promise<void> {
  if (answered === sent) return
  await withLock(io, `${join(privateFolder(io, 'locks'), checkName(name))}.bookmark`, async () => {
    const isAlone = findBookmark(io, name) === sent
    replaceFile(fileOf(io, name), isAlone ? answered : fromPrimary)
  })
}

function fileOf(io: Io, name: string): string {
  return join(privateFolder(io, 'bookmarks'), checkName(name))
}
