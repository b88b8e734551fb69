import type { Locator, Page } from 'playwright-core'
import { en } from '../../../web/src/texts/en.ts'

/** One form of the pages: how to reach it, what to type, and where that is sent. */
export interface Form {
  /** The file below `web/src` that has it. */
  readonly source: string
  readonly path: string
  /** What leads to the form from its page. */
  open?(page: Page): Promise<void>
  /** Text by the label of its field. */
  readonly typed: Readonly<Record<string, string>>
  /** Labels of fields that no browser may store. */
  readonly secret?: readonly string[]
  /** What else has to be chosen before it can be sent. */
  choose?(form: Locator): Promise<void>
  readonly button: string
  /** Undefined if the form only leads to another page. */
  readonly sends?: string
  /** Settings, which another window can have saved in the meantime. */
  readonly isPart?: true
}

/** What is typed into a checkbox that is to be on. */
export const CHECKED = 'on'

const code = { [en.verify.digit(1)]: '123456' }
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
const auth = (name: string) => `/api/auth/${name}`
const admin = (name: string) => `/api/admin/${name}`

export const OF_VISITORS: readonly Form[] = [
  {
    source: 'pages/entry/password-form.tsx',
    path: '/sign-in',
    typed: { [en.common.email]: 'dora@example.com', [en.common.password]: 'a bench by the gate' },
    button: en.signIn.submit,
    sends: auth('sign-in/email'),
  },
  {
    source: 'pages/entry/sign-up.tsx',
    path: '/sign-up',
    typed: { [en.common.email]: 'dora@example.com', [en.common.password]: 'a bench by the gate' },
    button: en.signUp.submit,
    sends: auth('sign-up/email'),
  },
  {
    source: 'pages/entry/forgot.tsx',
    path: '/forgot',
    typed: { [en.common.email]: 'ann@example.com' },
    button: en.forgot.submit,
    sends: auth('email-otp/request-password-reset'),
  },
  {
    source: 'pages/entry/reset.tsx',
    path: '/reset?email=ann@example.com',
    typed: { ...code, [en.reset.newPassword]: 'nine bells at midnight' },
    button: en.reset.submit,
    sends: auth('email-otp/reset-password'),
  },
  {
    source: 'pages/entry/verify.tsx',
    path: '/verify',
    typed: { [en.common.email]: 'ann@example.com' },
    button: en.verify.send,
  },
  {
    source: 'pages/entry/verify.tsx',
    path: '/verify?email=ann@example.com',
    typed: code,
    button: en.verify.submit,
    sends: auth('email-otp/verify-email'),
  },
  {
    source: 'pages/entry/second-step.tsx',
    path: '/sign-in/second-step',
    open: press(en.secondStep.useBackup),
    typed: { [en.secondStep.backupCode]: 'abcde-fghij' },
    button: en.secondStep.submit,
    sends: auth('two-factor/verify-backup-code'),
  },
  {
    source: 'pages/entry/invitation.tsx',
    path: '/invitation#email=dora@example.com&link=the-mailed-link',
    typed: { [en.invitation.password]: 'nine bells at midnight' },
    button: en.invitation.submit,
    sends: auth('accept-invitation'),
  },
]

export const OF_A_USER: readonly Form[] = [
  {
    source: 'pages/beta.tsx',
    path: '/beta',
    typed: { [en.beta.code]: 'a-code-for-the-gate' },
    button: en.beta.submit,
    sends: '/api/bind_beta_code',
  },
  {
    source: 'pages/access/authorize.tsx',
    path: '/oauth/authorize',
    typed: { [en.authorize.code]: 'ABCD-EFGH' },
    button: en.authorize.submit,
    sends: '/api/oauth/begin_authorization',
  },
  {
    source: 'pages/feedback.tsx',
    path: '/feedback',
    typed: { [en.feedback.content]: 'A long thought', [en.feedback.kind]: 'praise' },
    button: en.feedback.submit,
    sends: '/api/submit_feedback',
  },
  {
    source: 'pages/settings/profile.tsx',
    path: '/settings',
    typed: { [en.profile.name]: 'Ann of the gate', [en.profile.avatar]: 'https://pictures.example/a.png' },
    button: en.common.save,
    sends: auth('update-user'),
  },
  {
    source: 'pages/settings/password.tsx',
    path: '/settings/password',
    typed: { [en.password.current]: 'not this one', [en.password.next]: 'nine bells at midnight' },
    secret: [en.password.current, en.password.next],
    button: en.password.submit,
    sends: auth('change-password'),
  },
  {
    source: 'pages/settings/new-token.tsx',
    path: '/settings/tokens',
    typed: { [en.tokens.name]: 'The nightly report' },
    choose: (form) => form.getByRole('checkbox').first().check(),
    button: en.tokens.create,
    sends: '/api/create_personal_token',
  },
  {
    source: 'pages/settings/security/authenticator-app.tsx',
    path: '/settings/security',
    open: press(en.security.addApp),
    typed: code,
    secret: Object.keys(code),
    button: en.security.confirm,
    sends: auth('two-factor/verify-totp'),
  },
  {
    source: 'pages/settings/security/passkeys.tsx',
    path: '/settings/security',
    open: async (page) => {
      const held = await page.evaluate<object>("fetch('/api/auth/security-overview').then((a) => a.json())")
      const passkeys = [{ id: 'a', name: 'Phone', createdAt: 0, lastUsedAt: null }]
      await page.route('**/api/auth/security-overview', (route) =>
        route.fulfill({ json: { ...held, passkeys } }),
      )
      await page.reload()
    },
    typed: { [en.security.passkeyName]: 'The key on the ring' },
    button: en.security.save,
    sends: auth('passkey/update-passkey'),
  },
  {
    source: 'ui/dialogs/confirm-identity.tsx',
    path: '/settings/data',
    open: async (page) => {
      await page.route('**/api/export_account', (route) =>
        route.fulfill({ status: 403, json: { code: 'SESSION_NOT_FRESH', message: 'SESSION_NOT_FRESH' } }),
      )
      await press(en.data.exportAction)(page)
    },
    typed: { [en.fresh.password]: 'not this one' },
    secret: [en.fresh.password],
    button: en.fresh.action,
    sends: auth('confirm'),
  },
  {
    source: 'pages/settings/data.tsx',
    path: '/settings/data',
    open: press(en.data.deleteAction),
    typed: { [en.data.confirmPassword]: 'not this one' },
    secret: [en.data.confirmPassword],
    button: en.data.confirmAction,
    sends: auth('delete-user'),
  },
]

interface Rows {
  readonly feedbackId: string
  /** Of an endpoint that gets some of the events. */
  readonly webhookId: string
  readonly userId: string
}

export const ofTheAdministrator = ({ feedbackId, userId, webhookId }: Rows): readonly Form[] => [
  {
    source: 'pages/console/feedback/feedback-detail.tsx',
    path: `/console/feedback?open=${feedbackId}`,
    typed: { [en.inbox.note]: 'Ask the smith' },
    button: en.common.save,
    sends: admin('update_feedback'),
  },
  {
    source: 'pages/console/feedback/feedback-reply.tsx',
    path: `/console/feedback?open=${feedbackId}`,
    typed: { [en.inbox.reply]: 'The smith is on the way' },
    button: en.inbox.replySend,
    sends: admin('create_notification'),
  },
  {
    source: 'pages/console/notifications/notification-editor.tsx',
    path: '/console/notifications?open=new',
    typed: { [en.publishing.headline]: 'The bell', [en.publishing.content]: 'It rings at nine.' },
    button: en.publishing.publish,
    sends: admin('create_notification'),
  },
  {
    source: 'pages/console/users/invite.tsx',
    path: '/console/users?open=new',
    typed: { [en.invite.email]: 'carl@example.com', [en.invite.name]: 'Carl' },
    button: en.invite.send,
    sends: admin('invite_user'),
  },
  {
    source: 'pages/console/person/suspension.tsx',
    path: `/console/users/${userId}`,
    open: press(en.people.suspend),
    typed: { [en.people.suspendReason]: 'Too many bells' },
    button: en.people.suspend,
    sends: admin('suspend_user'),
  },
  {
    source: 'pages/console/person/person-credits.tsx',
    path: `/console/users/${userId}`,
    open: press(en.person.give),
    typed: { [en.person.amount]: '40', [en.person.note]: 'For the second bell' },
    button: en.person.give,
    sends: admin('give_credits'),
  },
  {
    source: 'pages/console/beta-codes.tsx',
    path: '/console/beta-codes',
    typed: { [en.codes.count]: '12' },
    button: en.codes.makeAction,
    sends: admin('generate_beta_codes'),
  },
  {
    source: 'pages/console/webhooks/webhooks.tsx',
    path: '/console/webhooks',
    typed: { [en.webhooks.url]: 'https://hooks.example.com/gate' },
    button: en.webhooks.addAction,
    sends: admin('create_webhook'),
  },
  {
    source: 'pages/console/webhooks/endpoint.tsx',
    path: `/console/webhooks?open=${webhookId}`,
    open: (page) => page.getByRole('button', { name: new RegExp(`^${en.webhooks.choose}`) }).click(),
    typed: { [en.webhooks.events['user.created']]: CHECKED },
    button: en.webhooks.chooseAction,
    sends: admin('update_webhook'),
  },
  {
    source: 'pages/console/applications/application-editor.tsx',
    path: '/console/applications',
    open: press(en.applications.register),
    typed: {
      [en.applications.name]: 'The portcullis',
      [en.applications.redirects]: 'https://app.example.com/back',
    },
    button: en.applications.register,
    sends: admin('create_application'),
  },
  {
    source: 'pages/console/applications/product-scopes.tsx',
    path: '/console/applications',
    typed: {
      [en.applications.scopeName]: 'product:bells:read',
      [en.applications.scopeWords]: 'hear the bells',
    },
    button: en.applications.declare,
    sends: admin('declare_product_scope'),
  },
  {
    source: 'pages/console/settings/email.tsx',
    path: '/console/settings/email',
    typed: { [en.common.email]: 'carl@example.com' },
    button: en.config.testMailSend,
    sends: admin('send_test_email'),
  },
  part('email', '/email', { [en.config.provider]: 'none' }),
  part('authentication', '', { [en.config.cooldown]: '77', [en.config.domains]: 'example.com' }),
  {
    ...part('authentication', '/providers', { [en.config.clientId]: 'an-identifier' }),
    source: 'pages/console/settings/providers.tsx',
  },
  part('credits', '/credits', { [en.config.rewardAmount]: '12' }),
  part('ai', '/ai', { [en.config.aiModel]: 'a-model' }),
  {
    ...part('brand', '/brand', {
      [en.config.brandName]: 'Acme',
      [en.config.returnOrigins]: 'https://app.acme.example',
    }),
    source: 'pages/console/settings/brand/brand.tsx',
  },
]

function part(name: string, page: string, typed: Form['typed']): Form {
  return {
    source: `pages/console/settings/${name}.tsx`,
    path: `/console/settings${page}`,
    typed,
    button: en.common.save,
    sends: admin(`update_${name}_config`),
    isPart: true,
  }
}
