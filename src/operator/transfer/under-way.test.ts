import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../../../test/service/service.ts'
import { anyUserExists } from '../../features/users/users.ts'
import { prepareAdministrator } from '../../prepare.ts'
import { beginImport, endImport } from './under-way.ts'

/** As a migration leaves the stores: nobody is in them. */
async function emptyService() {
  const service = await startService()
  await service.platform.meta.deleteFrom('user').execute()
  return service
}

describe('an import and a preparation of the same stores', () => {
  it('make no administrator once the import has begun, even if the preparation did not see it begin', async () => {
    await using service = await emptyService()
    const { platform } = service
    await beginImport(platform.meta, 'an export')

    await assert.rejects(prepareAdministrator(platform), { name: 'TransferRefused', message: /not finished/ })

    assert.equal(await anyUserExists(platform.meta), false)
    await endImport(platform.meta)
    assert.ok(await prepareAdministrator(platform))
  })

  it('at the same moment, one of them is refused', async () => {
    await using service = await emptyService()
    const { platform } = service

    const [imported, prepared] = await Promise.allSettled([
      beginImport(platform.meta, 'an export'),
      prepareAdministrator(platform),
    ])

    const outcomes = [imported.status, prepared.status].toSorted()
    assert.deepEqual(outcomes, ['fulfilled', 'rejected'])
    assert.equal(await anyUserExists(platform.meta), prepared.status === 'fulfilled')
  })

  it('leave prepared stores as they are', async () => {
    await using service = await startService()
    const { platform } = service

    await assert.rejects(beginImport(platform.meta, 'an export'), { message: /there are users already/ })

    assert.equal(await prepareAdministrator(platform), undefined)
  })
})
