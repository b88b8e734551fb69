import type { Locator, Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'

type Typed = Readonly<Record<string, string>>

interface Special {
  /** What leads to the form from its page. */
  open?(page: Page): Promise<void>
  /** What else has to be chosen before it can be sent. */
  choose?(form: Locator): Promise<void>
  /** Labels of fields that no browser may store. */
  readonly secret?: readonly string[]
  /** Settings, which another window can have saved in the meantime. */
  readonly isPart?: true
}

/** One form of the pages: how to reach it, what to type, and where that is sent. */
export interface Form extends Special {
  /** The file below `web/src` that has it. */
  readonly source: string
  readonly path: string
  /** Text by the label of its field. */
  readonly typed: Typed
  readonly button: string
  /** Undefined if the form only leads to another page. */
  readonly sends: string | undefined
}

function form(
  source: string,
  path: string,
  typed: Typed,
  [button, sends]: readonly [button: string, sends?: string],
  special: Special = {},
): Form {
  return { source: `${source}.tsx`, path, typed, button, sends, ...special }
}

/** What is typed into a checkbox that is to be on. */
export const CHECKED = 'on'

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
const auth = (name: string) => `/api/auth/${name}`
const admin = (name: string) => `/api/admin/${name}`

const { common, secondStep, password, security, people, person, applications, config } = en
const code = { [en.verify.digit(1)]: '123456' }
const dora = { [common.email]: 'dora@example.com', [common.password]: 'a bench by the gate' }
const ann = { [common.email]: 'ann@example.com' }
const strong = 'nine bells at midnight'

export const OF_VISITORS: readonly Form[] = [
  form('pages/entry/password-form', '/sign-in', dora, [en.signIn.submit, auth('sign-in/email')]),
  form('pages/entry/sign-up', '/sign-up', dora, [en.signUp.submit, auth('sign-up/email')]),
  form('pages/entry/forgot', '/forgot', ann, [en.forgot.submit, auth('email-otp/request-password-reset')]),
  form('pages/entry/reset', '/reset?email=ann@example.com', { ...code, [en.reset.newPassword]: strong }, [
    en.reset.submit,
    auth('email-otp/reset-password'),
  ]),
  form('pages/entry/verify', '/verify', ann, [en.verify.send]),
  form('pages/entry/verify', '/verify?email=ann@example.com', code, [
    en.verify.submit,
    auth('email-otp/verify-email'),
  ]),
  form(
    'pages/entry/second-step',
    '/sign-in/second-step',
    { [secondStep.backupCode]: 'abcde-fghij' },
    [secondStep.submit, auth('two-factor/verify-backup-code')],
    { open: press(secondStep.useBackup) },
  ),
  form(
    'pages/entry/invitation',
    '/invitation#email=dora@example.com&link=the-mailed-link',
    { [en.invitation.password]: strong },
    [en.invitation.submit, auth('accept-invitation')],
  ),
]

export const OF_A_USER: readonly Form[] = [
  form('pages/beta', '/beta', { [en.beta.code]: 'a-code-for-the-gate' }, [
    en.beta.submit,
    '/api/bind_beta_code',
  ]),
  form('pages/access/authorize', '/oauth/authorize', { [en.authorize.code]: 'ABCD-EFGH' }, [
    en.authorize.submit,
    '/api/oauth/begin_authorization',
  ]),
  form(
    'pages/feedback',
    '/feedback',
    { [en.feedback.content]: 'A long thought', [en.feedback.kind]: 'praise' },
    [en.feedback.submit, '/api/submit_feedback'],
  ),
  form(
    'pages/settings/profile',
    '/settings',
    { [en.profile.name]: 'Ann of the gate', [en.profile.avatar]: 'https://pictures.example/a.png' },
    [common.save, auth('update-user')],
  ),
  form(
    'pages/settings/password',
    '/settings/password',
    { [password.current]: 'not this one', [password.next]: strong },
    [password.submit, auth('change-password')],
    { secret: [password.current, password.next] },
  ),
  form(
    'pages/settings/new-token',
    '/settings/tokens',
    { [en.tokens.name]: 'The nightly report' },
    [en.tokens.create, '/api/create_personal_token'],
    { choose: (place) => place.getByRole('checkbox').first().check() },
  ),
  form(
    'pages/settings/security/authenticator-app',
    '/settings/security',
    code,
    [security.confirm, auth('two-factor/verify-totp')],
    { open: press(security.addApp), secret: Object.keys(code) },
  ),
  form(
    'pages/settings/security/passkeys',
    '/settings/security',
    { [security.passkeyName]: 'The key on the ring' },
    [security.save, auth('passkey/update-passkey')],
    { open: showPasskey },
  ),
  form(
    'ui/dialogs/confirm-identity',
    '/settings/data',
    { [en.fresh.password]: 'not this one' },
    [en.fresh.action, auth('confirm')],
    { open: exportTooLate, secret: [en.fresh.password] },
  ),
  form(
    'pages/settings/data',
    '/settings/data',
    { [en.data.confirmPassword]: 'not this one' },
    [en.data.confirmAction, auth('delete-user')],
    { open: press(en.data.deleteAction), secret: [en.data.confirmPassword] },
  ),
]

async function showPasskey(page: Page): Promise<void> {
  const held = await page.evaluate<object>("fetch('/api/auth/security-overview').then((a) => a.json())")
  const json = { ...held, passkeys: [{ id: 'a', name: 'Phone', createdAt: 0, lastUsedAt: null }] }
  await page.route('**/api/auth/security-overview', (route) => route.fulfill({ json }))
  await page.reload()
}

async function exportTooLate(page: Page): Promise<void> {
  const json = { code: 'SESSION_NOT_FRESH', message: 'SESSION_NOT_FRESH' }
  await page.route('**/api/export_account', (route) => route.fulfill({ status: 403, json }))
  await press(en.data.exportAction)(page)
}

interface Rows {
  readonly feedbackId: string
  /** Of an endpoint that gets some of the events. */
  readonly webhookId: string
  readonly userId: string
}

export const ofTheAdministrator = ({ feedbackId, userId, webhookId }: Rows): readonly Form[] => [
  form(
    'pages/console/feedback/feedback-detail',
    `/console/feedback?open=${feedbackId}`,
    { [en.inbox.note]: 'Ask the smith' },
    [common.save, admin('update_feedback')],
  ),
  form(
    'pages/console/feedback/feedback-reply',
    `/console/feedback?open=${feedbackId}`,
    { [en.inbox.reply]: 'The smith is on the way' },
    [en.inbox.replySend, admin('create_notification')],
  ),
  form(
    'pages/console/notifications/notification-editor',
    '/console/notifications?open=new',
    { [en.publishing.headline]: 'The bell', [en.publishing.content]: 'It rings at nine.' },
    [en.publishing.publish, admin('create_notification')],
  ),
  form(
    'pages/console/users/invite',
    '/console/users?open=new',
    { [en.invite.email]: 'carl@example.com', [en.invite.name]: 'Carl' },
    [en.invite.send, admin('invite_user')],
  ),
  form(
    'pages/console/person/suspension',
    `/console/users/${userId}`,
    { [people.suspendReason]: 'Too many bells' },
    [people.suspend, admin('suspend_user')],
    { open: press(people.suspend) },
  ),
  form(
    'pages/console/person/person-credits',
    `/console/users/${userId}`,
    { [person.amount]: '40', [person.note]: 'For the second bell' },
    [person.give, admin('give_credits')],
    { open: press(person.give) },
  ),
  form('pages/console/beta-codes', '/console/beta-codes', { [en.codes.count]: '12' }, [
    en.codes.makeAction,
    admin('generate_beta_codes'),
  ]),
  form(
    'pages/console/webhooks/webhooks',
    '/console/webhooks',
    { [en.webhooks.url]: 'https://hooks.example.com/gate' },
    [en.webhooks.addAction, admin('create_webhook')],
  ),
  form(
    'pages/console/webhooks/endpoint',
    `/console/webhooks?open=${webhookId}`,
    { [en.webhooks.events['user.created']]: CHECKED },
    [en.webhooks.chooseAction, admin('update_webhook')],
    { open: (page) => page.getByRole('button', { name: new RegExp(`^${en.webhooks.choose}`) }).click() },
  ),
  form(
    'pages/console/applications/application-editor',
    '/console/applications',
    { [applications.name]: 'The portcullis', [applications.redirects]: 'https://app.example.com/back' },
    [applications.register, admin('create_application')],
    { open: press(applications.register) },
  ),
  form(
    'pages/console/applications/product-scopes',
    '/console/applications',
    { [applications.scopeName]: 'product:bells:read', [applications.scopeWords]: 'hear the bells' },
    [applications.declare, admin('declare_product_scope')],
  ),
  form('pages/console/settings/email', '/console/settings/email', { [common.email]: 'carl@example.com' }, [
    config.testMailSend,
    admin('send_test_email'),
  ]),
  part('email', 'email', '/email', { [config.provider]: 'none' }),
  part('authentication', 'authentication', '', { [config.cooldown]: '77', [config.domains]: 'example.com' }),
  part('providers', 'authentication', '/providers', { [config.clientId]: 'an-identifier' }),
  part('credits', 'credits', '/credits', { [config.rewardAmount]: '12' }),
  part('ai', 'ai', '/ai', { [config.aiModel]: 'a-model' }),
  part('brand/brand', 'brand', '/brand', {
    [config.brandName]: 'Acme',
    [config.returnOrigins]: 'https://app.acme.example',
  }),
]

function part(source: string, name: string, page: string, typed: Typed): Form {
  const sent = [common.save, admin(`update_${name}_config`)] as const
  return form(`pages/console/settings/${source}`, `/console/settings${page}`, typed, sent, { isPart: true })
}
