import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it as onService } from '../../../test/service/it.ts'
import { findKept, forget, keepFirst } from '../../database/instance.ts'
import { anyUserExists } from '../../features/people/users/users.ts'
import type { Platform } from '../../platform/platform.ts'
import { prepareAdministrator } from '../../prepare.ts'
import { beginImport, endImport } from './under-way.ts'

const it = onService.extend<{ readonly empty: Platform }>({
  /** Migrated stores without users. */
  empty: async ({ service: { platform } }, use) => {
    await platform.meta.deleteFrom('user').execute()
    await use(platform)
  },
})

async function headerFor({ meta }: Platform) {
  return { id: 'an export', password_iterations: Number(await findKept(meta, 'password_iterations')) }
}

describe('an import and a preparation of the same stores', () => {
  it('make no administrator once the import has begun', async ({ empty: platform }) => {
    await beginImport(platform.meta, await headerFor(platform))

    await assert.rejects(prepareAdministrator(platform), { name: 'OperatorError', message: /not finished/ })

    assert.equal(await anyUserExists(platform.meta), false)
    await endImport(platform.meta)
    assert.ok(await prepareAdministrator(platform))
  })

  it('at the same moment, one of them is refused', async ({ empty: platform }) => {
    const header = await headerFor(platform)

    const [imported, prepared] = await Promise.allSettled([
      beginImport(platform.meta, header),
      prepareAdministrator(platform),
    ])

    const outcomes = [imported.status, prepared.status].toSorted()
    assert.deepEqual(outcomes, ['fulfilled', 'rejected'])
    assert.equal(await anyUserExists(platform.meta), prepared.status === 'fulfilled')
  })

  it('at the same moment, with different costs, keep the import and its cost, or neither', async ({
    empty: { meta },
  }) => {
    await forget(meta, 'password_iterations')

    const [imported] = await Promise.allSettled([
      beginImport(meta, { id: 'an export', password_iterations: 5 }),
      keepFirst(meta, 'password_iterations', '7'),
    ])

    const isUnderWay = imported.status === 'fulfilled'
    assert.equal(await findKept(meta, 'password_iterations'), isUnderWay ? '5' : '7')
    assert.equal(await findKept(meta, 'import_under_way'), isUnderWay ? 'an export' : undefined)
  })

  it('leave prepared stores as they are', async ({ service: { platform } }) => {
    await assert.rejects(beginImport(platform.meta, await headerFor(platform)), {
      message: /there are users already/,
    })

    assert.equal(await prepareAdministrator(platform), undefined)
  })
})
