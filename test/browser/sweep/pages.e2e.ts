import { expect } from '@playwright/test'
import { startDevice } from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import { anyWords } from '../support/acts.ts'
import { faultsOf, READERS } from '../support/every-page.ts'
import { CONSOLE, FRONT, INSIDE } from '../support/paths.ts'
import { test } from '../support/test.ts'
import { writeUgly } from '../support/ugly.ts'

test.describe('every page', () => {
  test.describe.configure({ timeout: 900_000 })

  for (const [look, { texts, looks, hasKeyboardOnly }] of Object.entries(READERS)) {
    test(`before the sign-in passes axe, fits and does not move, ${look}`, async ({ openPage }) => {
      expect(await faultsOf(await openPage(looks), FRONT, hasKeyboardOnly)).toEqual([])
    })

    test(`inside passes axe, fits any screen and does not move, whatever people have written, ${look}`, async ({
      enterAs,
      service,
      administrator,
      ann,
      ben,
    }) => {
      await writeUgly({ administrator, ann, ben })
      const { body: device } = await startDevice(stranger(service), 'account:profile:read', 'admin:users:write')
      const page = await enterAs(administrator, '/sign-in?next=/', looks)
      await expect(page.getByRole('heading', { name: anyWords(texts.home.title) })).toBeVisible()

      const made = [
        `/oauth/authorize?user_code=${device.user_code}`,
        `/console/users/${ann.id}`,
        '/console/applications/new',
        ...(await pagesOfOrganizations(administrator)),
      ]
      expect(await faultsOf(page, [...INSIDE, ...CONSOLE, ...made], hasKeyboardOnly)).toEqual([])
    })
  }
})

async function pagesOfOrganizations(person: Person): Promise<readonly string[]> {
  const { body } = await person.get<readonly { readonly id: string }[]>('/api/auth/organization/list')
  return body.flatMap(({ id }) => [`/settings/organizations/${id}`, `/console/organizations/${id}`])
}
