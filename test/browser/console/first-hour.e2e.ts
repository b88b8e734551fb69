import { expect, type Locator, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { en } from '../../../web/src/texts/en.ts'
import { assertAccessible } from '../support/accessible.ts'
import { test } from '../support/test.ts'

const { applications, common, config, firstHour, invite, password, security, webhooks, reset } = en
const KEY = { [config.fields.api_key]: 're_0123456789' }

interface Step {
  readonly what: string
  /** The presses from the overview on; each is found once the one before it has been made. */
  readonly presses: readonly ((page: Page) => Locator)[]
  /** Typed before the last press. */
  readonly typed?: (page: Page) => Promise<unknown>
  readonly done: string | RegExp
}

const link = (name: string) => (page: Page) => page.getByRole('link', { name, exact: true })
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).last()
const fill = (fields: Readonly<Record<string, string>>) => async (page: Page) => {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).last().fill(text)
}

/** The path of each step is as long as this says, and no longer. */
const STEPS: readonly Step[] = [
  {
    what: 'brand',
    presses: [link(firstHour.brand), button(common.save)],
    typed: fill({ [config.fields.name]: 'Acme' }),
    done: config.saved,
  },
  {
    what: 'webhook',
    presses: [link(en.console.webhooks), button(webhooks.addAction)],
    typed: fill({ [webhooks.url]: 'https://hooks.acme.example/gatehouse' }),
    done: webhooks.secretTitle,
  },
  {
    what: 'application',
    presses: [
      link(en.console.applications),
      link(applications.register),
      link(applications.purposes.nextjs),
      button(applications.register),
    ],
    typed: fill({
      [applications.fields.name]: 'Shop',
      [applications.fields.redirect_uris]: 'https://shop.acme.example/callback',
    }),
    done: applications.secretTitle,
  },
]

async function walk(page: Page, { presses, typed, done }: Step): Promise<void> {
  for (const [at, press] of presses.entries()) {
    if (at === presses.length - 1) await typed?.(page)
    await press(page).click()
  }
  await expect(page.getByText(done).first()).toBeVisible()
}

test.describe('the first hour', () => {
  for (const step of STEPS)
    test(`${step.what}: ${step.presses.length} presses from the overview`, async ({ openConsole }) => {
      await walk(await openConsole('/console'), step)
    })

  test('the initial password: 2 presses', async ({ openConsole, administrator }) => {
    const page = await openConsole('/console')

    await walk(page, {
      what: 'password',
      presses: [link(firstHour.password), button(password.submit)],
      typed: fill({
        [password.current]: administrator.password,
        [reset.newPassword]: 'nine bells at midnight',
      }),
      done: password.saved,
    })
  })

  test('an invitation: 2 presses', async ({ openConsole, administrator }) => {
    await administrator.saveSettings('email', { provider: 'smtp' })
    const page = await openConsole('/console')

    await walk(page, {
      what: 'invitation',
      presses: [link(firstHour.people), button(invite.send)],
      typed: fill({ [invite.email]: 'dora@example.com' }),
      done: invite.sent('dora@example.com'),
    })
  })

  test('mail by the provider’s name: 3 presses, a test and what the domain lacks', async ({
    openConsole,
    service,
    administrator,
  }) => {
    const page = await openConsole('/console')

    await link(firstHour.mail)(page).click()
    await page.getByLabel(config.fields.provider).selectOption({ label: config.mailProviders.api })
    await fill(KEY)(page)
    await button(config.saveAndTest)(page).click()

    await expect(page.getByText(config.testMailSent(administrator.email))).toBeVisible()
    expect(await service.mail.sentTo(administrator.email)).toHaveLength(1)
    await button(config.mailDomainCheck)(page).click()
    const records = page.getByRole('list', { name: config.mailDomain }).getByRole('listitem')
    await expect(records).toHaveCount(3)
    await expect(records.filter({ hasText: 'v=spf1 include:amazonses.com ~all' })).toBeVisible()
    await assertAccessible(page)
  })

  test('a second factor: 3 presses', async ({ openConsole }) => {
    const page = await openConsole('/console')

    await link(firstHour.factor)(page).click()
    await button(security.addApp)(page).click()
    const secret = (await page.locator('code').first().textContent()) ?? ''
    const code = new TOTP({ secret: secret.replaceAll(' ', '') }).generate({
      timestamp: Date.UTC(2026, 10, 21, 12),
    })
    await page.getByLabel(en.verify.digit(1)).focus()
    await page.keyboard.type(code)

    await expect(page.getByText(security.appAdded)).toBeVisible()
  })
})

test.describe('a mail server in the page', () => {
  test.use({
    serviceOptions: {
      platform: {
        mail: { providers: ['smtp', 'api'], send: () => Promise.reject(new Error('no server here')) },
      },
    },
  })

  test('has what Postmark and SES need filled in, and another server asks for its own password', async ({
    openConsole,
    administrator,
  }) => {
    const page = await openConsole('/console/settings/email')
    const server = page.getByLabel(config.fields.smtp_host, { exact: true })

    await page.getByLabel(config.fields.provider).selectOption({ label: config.mailProviders.postmark })
    await expect(server).toHaveValue('smtp.postmarkapp.com')
    await fill({ [config.fields.smtp_user]: 'token', [config.fields.smtp_password]: 'token' })(page)
    await button(config.saveAndTest)(page).click()
    await expect(page.getByText(config.saved)).toBeVisible()
    await page.getByLabel(config.fields.provider).selectOption({ label: config.mailProviders.smtp })
    await server.fill('smtp.acme.example')
    await button(config.saveAndTest)(page).click()
    await expect(page.getByText(config.problems.smtp_password)).toBeVisible()
    await fill({ [config.fields.smtp_password]: 'another' })(page)
    await button(config.saveAndTest)(page).click()
    await expect(page.getByText(config.problems.smtp_password)).toHaveCount(0)

    await expect
      .poll(async () => (await administrator.post('/api/admin/get_email_config')).body)
      .toMatchObject({ provider: 'smtp', smtp_host: 'smtp.acme.example', smtp_port: 587, smtp_user: 'token' })
  })
})

test.describe('a mail server of the deployment', () => {
  test('is shown without its password', async ({ openConsole }) => {
    const page = await openConsole('/console/settings/email')

    await page.getByLabel(config.fields.provider).selectOption({ label: config.mailProviders.smtp })

    await expect(page.getByText(config.smtpDeployed('smtp://mail.example.com'))).toBeVisible()
  })
})
