import { failIfKept, findKept, forget, keptFirst } from '../../database/instance.ts'
import { ConstraintViolation, type Meta } from '../../database/store.ts'
import { anyUserExists } from '../../features/people/users/users.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { Header } from './lines.ts'

const IMPORT_UNDER_WAY = 'import_under_way'

/** The stores must have no users, or a part of the same export, which is recognised by its id. */
export async function beginImport(meta: Meta, header: Beginning): Promise<void> {
  const known = await findKept(meta, IMPORT_UNDER_WAY)
  if (known === undefined) await refuseUsers(meta)
  const isAnother = known !== undefined && known !== header.id
  if (isAnother || (await keepBeginning(meta, header)) !== header.id)
    throw new OperatorError('another file has been imported in part; finish that import, or import into empty stores')
  if (known !== undefined) return
  // No administrator is made from here on, but one can have been made since the last check.
  await refuseUsers(meta).catch(async (error: unknown) => {
    await endImport(meta)
    throw error
  })
}

type Beginning = Pick<Header, 'id' | 'password_iterations'>

/** One decision, so that stores keep both the import and its cost of passwords, or neither. */
async function keepBeginning(meta: Meta, header: Beginning): Promise<string | undefined> {
  const cost = String(header.password_iterations)
  return meta.decide([keptFirst(meta, 'password_iterations', cost)], async (decision, [known]) => {
    if (known?.value !== cost)
      throw new OperatorError('passwords here have another cost; import into stores that were never prepared')
    return (await decision.first(keptFirst(meta, IMPORT_UNDER_WAY, header.id)))?.value
  })
}

export function endImport(meta: Meta): Promise<void> {
  return forget(meta, IMPORT_UNDER_WAY)
}

async function refuseUsers(meta: Meta): Promise<void> {
  if (await anyUserExists(meta)) throw new OperatorError('there are users already; import into empty stores')
}

/** A part of the data must not be used: what is written to it can prevent the rest from being imported. */
export async function refuseUnfinishedImport(meta: Meta): Promise<void> {
  if ((await findKept(meta, IMPORT_UNDER_WAY)) !== undefined) throw unfinished()
}

/** Goes into the decision that makes the administrator. */
export function failIfImportBegins(meta: Meta) {
  return failIfKept(meta, IMPORT_UNDER_WAY)
}

/** The message to the operator if that decision failed. */
export function unfinishedImportOr(error: unknown): unknown {
  return error instanceof ConstraintViolation && error.table === 'instance' ? unfinished() : error
}

function unfinished(): OperatorError {
  return new OperatorError(
    'an import into these stores is not finished; run `gatehouse import` again with the same file',
  )
}
