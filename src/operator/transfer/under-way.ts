import { failIfKept, findKept, forget, keepFirst } from '../../database/instance.ts'
import { ConstraintViolation, type Meta } from '../../database/store.ts'
import { anyUserExists } from '../../features/users/users.ts'
import { TransferRefused } from './lines.ts'

const IMPORT_UNDER_WAY = 'import_under_way'

/** Into stores without users, or with a part of the same export, which is recognised by its id. */
export async function beginImport(meta: Meta, id: string): Promise<void> {
  const known = await findKept(meta, IMPORT_UNDER_WAY)
  if (known === id) return
  if (known === undefined) await refuseUsers(meta)
  if ((await keepFirst(meta, IMPORT_UNDER_WAY, id)) !== id)
    throw new TransferRefused('another file has been imported in part; finish that import first')
  // No administrator is made from here on, but one can have been made since the last check.
  await refuseUsers(meta).catch(async (error: unknown) => {
    await endImport(meta)
    throw error
  })
}

export function endImport(meta: Meta): Promise<void> {
  return forget(meta, IMPORT_UNDER_WAY)
}

async function refuseUsers(meta: Meta): Promise<void> {
  if (await anyUserExists(meta))
    throw new TransferRefused('there are users already; import into empty stores')
}

/** A part of the data must not be used: what is written to it can prevent the rest from being imported. */
export async function refuseUnfinishedImport(meta: Meta): Promise<void> {
  if ((await findKept(meta, IMPORT_UNDER_WAY)) !== undefined) throw unfinished()
}

/** For the batch that makes the administrator. */
export function failIfImportBegins(meta: Meta) {
  return failIfKept(meta, IMPORT_UNDER_WAY)
}

/** What to tell the operator if that batch failed. */
export function unfinishedImportOr(error: unknown): unknown {
  return error instanceof ConstraintViolation && error.table === 'instance' ? unfinished() : error
}

function unfinished(): TransferRefused {
  return new TransferRefused(
    'an import into these stores is not finished; run `gatehouse import` again with the same file',
  )
}
