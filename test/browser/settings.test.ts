import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { people, stranger } from '../service/people.ts'
import { startService } from '../service/service.ts'
import { fillSignIn } from './acts.ts'
import { assertAccessible, openHouse } from './visit.ts'

describe('settings in the browser', () => {
  it('after the first start the administrator signs in, is warned, and chooses a password', async () => {
    await using service = await startService()
    await using house = await openHouse(service)
    const { email, password } = service.administrator
    const page = await house.enter()

    await page.goto('/')
    await fillSignIn(page, email, password)
    await page.getByRole('link', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('nine bells at midnight')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { name: 'Hello, admin' }).waitFor()

    assert.equal(await page.getByRole('link', { name: 'Change password' }).count(), 0)
    assert.deepEqual(house.complaints, [])
  })

  it('sessions elsewhere are listed and ended; this one stays', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/settings/sessions')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByText('This device').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByText('You aren’t signed in anywhere else.').waitFor()

    assert.equal((await ann.post('/api/count_unread_notifications')).status, 401)
    assert.deepEqual(house.complaints, [])
  })

  it('an account is deleted with its password, and is gone', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByRole('button', { name: 'Delete account' }).click()
    await page.getByLabel('Enter your password to confirm').fill(ann.password)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('Your account has been deleted.').waitFor()

    assert.equal((await stranger(service, ann.email).signIn()).status, 401)
    assert.equal((await ann.signIn()).status, 401)
  })

  it('a name and a picture are saved and shown at once; an odd picture address is told at its field', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/settings')
    await fillSignIn(page, ann.email, ann.password)

    await page.getByLabel('Name').fill('Ann Moore')
    await page.getByLabel('Picture URL').fill('pictures/ann.png')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Enter an image URL that starts with').waitFor()
    await page.getByLabel('Picture URL').fill('https://pictures.example/ann.png')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Profile saved.').waitFor()
    await page.getByRole('complementary').getByText('Ann Moore').waitFor()

    const { body } = await ann.get('/api/auth/get-session')
    assert.equal(body.user.name, 'Ann Moore')
    assert.equal(body.user.image, 'https://pictures.example/ann.png')
  })

  it('what is held about a person is downloaded as one file', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'A bench by the gate' })
    await using house = await openHouse(service)
    const page = await house.enter()
    await page.goto('/settings/data')
    await fillSignIn(page, ann.email, ann.password)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await downloading

    assert.equal(download.suggestedFilename(), 'my-data.json')
    const held = await json(await download.createReadStream())
    assert.match(JSON.stringify(held), /A bench by the gate/)
    assert.deepEqual(house.complaints, [])
  })
})
