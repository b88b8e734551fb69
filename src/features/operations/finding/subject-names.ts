import type { Meta } from '../../../database/store.ts'
import { namesOfApplications } from '../../access/clients/statements.ts'
import { namesOfGrants } from '../../access/grants/statements.ts'
import { maskedUrl } from '../../delivery/webhooks/masked-url.ts'
import { namesOfWebhooks } from '../../delivery/webhooks/webhooks.ts'
import type { NamesOfSubjects } from '../../ground/audit/log.ts'
import { titlesOfNotifications } from '../notifications/statements.ts'

const NAMES: Readonly<Record<string, (meta: Meta, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>>> = {
  application: namesOfApplications,
  grant: namesOfGrants,
  notification: titlesOfNotifications,
  webhook: async (meta, ids) => {
    const urls = await namesOfWebhooks(meta, ids)
    return new Map([...urls].map(([id, url]) => [id, maskedUrl(url)]))
  },
}

/** The current names of what the entries are about, by its id. What is gone has none. */
export const namesOfSubjects: NamesOfSubjects = async (meta, entries) => {
  const byType = Map.groupBy(entries, ({ subject_type }) => subject_type ?? '')
  const found = await Promise.all(
    [...byType].map(async ([type, some]) => {
      const ids = some.flatMap(({ subject_id }) => subject_id ?? [])
      return [...((await NAMES[type]?.(meta, [...new Set(ids)])) ?? [])]
    }),
  )
  return new Map(found.flat())
}
