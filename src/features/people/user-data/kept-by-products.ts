import { amongJson } from '../../../database/sql/conditions.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { JsonObject } from '../../../rules/json-object.ts'
import type { ReadById } from '../../../rules/paging.ts'
import { shownPicture } from '../../ground/provider-presets/presets.ts'
import { publicOf } from '../product-data/statements.ts'
import { keptByProducts } from '../users/statements.ts'

/** Users as they are now, in the order of their ids: those given, or the next after an id. Unknown ids are left out. */
export async function readUsers({ meta, config }: Pick<Platform, 'meta' | 'config'>, { ids, after, limit }: ReadById) {
  const users = keptByProducts(meta).select((eb) => publicOf(meta, eb.ref('user.id')).as('public'))
  const wanted =
    ids === undefined
      ? users.where('user.id', '>', after ?? '').limit(limit)
      : users.where(amongJson(meta, 'user.id', JSON.stringify(ids)))
  const [rows] = await meta.snapshot([wanted], 'primary')
  const items = await mapInTurns(rows, ({ email_verified, image, public: kept, ...user }) => ({
    ...user,
    email_verified: email_verified === 1,
    image: shownPicture(config, image),
    public: JSON.parse(kept ?? '{}') as JsonObject,
  }))
  return { items }
}
