import type { Locator, Page } from '@playwright/test'
import { en } from '../../../web/src/texts/en.ts'

type Typed = Readonly<Record<string, string>>

/** One form of the pages: how to reach it, what to type, and where that is sent. */
export interface Form {
  /** The file below `web/src` that has it. */
  readonly source: string
  readonly path: string
  /** Leads to the form from its page. */
  open?(page: Page): Promise<void>
  /** Text by the label of its field. */
  readonly typed: Typed
  /** True if no browser may store what is typed. */
  readonly isSecret?: true
  /** Makes the other choices that sending needs. */
  choose?(form: Locator): Promise<void>
  readonly button: string
  /** Undefined if the form only leads to another page. */
  readonly sends: string | undefined
  /** Settings, which another window can have saved in the meantime. */
  readonly isPart?: true
}

type Sent = readonly [button: string, path?: string]

function form(source: string, path: string, [button, sends]: Sent, typed: Typed): Form {
  return { source: `${source}.tsx`, path, typed, button, sends }
}

/** Stands for a checkbox that is to be ticked. */
export const CHECKED = 'on'

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()

const pressForAll = (name: string) => async (page: Page) => {
  await page.getByLabel(en.lists.chooseAll).check()
  await press(name)(page)
}

const { common, organizations, secondStep, invitation, authorize, password, security, reset, signIn } = en
const { inbox, publishing, people, person, applications, config, replies, views, webhooks } = en
const code = { [en.verify.digit(1)]: '123456' }
const dora = { [common.email]: 'dora@example.com', [common.password]: 'a bench by the gate' }
const ann = { [common.email]: 'ann@example.com' }
const strong = 'nine bells at midnight'
const message = { [publishing.headline]: 'The bell', [publishing.content]: 'It rings at nine.' }

export const OF_VISITORS: readonly Form[] = [
  entry('password-form', '/sign-in', [en.signIn.submit, 'sign-in/email'], dora),
  entry('sign-up', '/sign-up', [en.signUp.submit, 'sign-up/email'], { ...dora, [en.signUp.name]: 'Dora' }),
  entry('forgot', '/forgot', [en.forgot.submit, 'email-otp/request-password-reset'], ann),
  entry('reset', '/reset?email=ann@example.com', [en.reset.submit, 'email-otp/reset-password'], {
    ...code,
    [en.reset.newPassword]: strong,
  }),
  form('pages/entry/verify', '/verify', [en.forgot.submit], ann),
  entry('verify', '/verify?email=ann@example.com', [en.verify.submit, 'email-otp/verify-email'], code),
  {
    ...entry('second-step', '/sign-in/second-step', [signIn.submit, 'two-factor/verify-backup-code'], {
      [secondStep.backupCode]: 'abcde-fghij',
    }),
    open: press(secondStep.useBackup),
  },
  {
    ...entry('invitation', '/invitation#email=dora@example.com&link=one', [invitation.submit, 'accept-invitation'], {
      [invitation.password]: strong,
    }),
    open: showInvitation,
  },
]

export const OF_A_USER: readonly Form[] = [
  form('pages/beta', '/beta', [en.common.continue, '/api/bind_beta_code'], {
    [en.beta.code]: 'a-code-of-the-gate',
  }),
  form('pages/access/authorize', '/oauth/authorize', [common.continue, '/api/oauth/begin_authorization'], {
    [authorize.code]: 'ABCD-EFGH',
  }),
  form('pages/feedback', '/feedback', [en.feedback.submit, '/api/submit_feedback'], {
    [en.feedback.content]: 'A long thought',
    [en.feedback.kind]: 'praise',
  }),
  setting('profile', '', [common.save, 'update-user'], {
    [en.profile.name]: 'Ann of the gate',
  }),
  setting('email-card', '', [en.forgot.submit, 'change-email'], { [en.profile.newEmail]: 'ann@elsewhere.example' }),
  {
    ...setting('email-card', '', [en.profile.changeEmail, 'email-otp/verify-email'], code),
    open: askForAddress,
    isSecret: true,
  },
  {
    ...setting('password', '/security', [password.submit, 'change-password'], {
      [password.current]: 'not this one',
      [reset.newPassword]: strong,
    }),
    isSecret: true,
  },
  {
    ...form('pages/settings/new-token', '/settings/access', [en.tokens.create, '/api/create_personal_token'], {
      [en.tokens.name]: 'The nightly report',
    }),
    open: press(en.tokens.add),
    choose: (place) => place.getByRole('checkbox').first().check(),
  },
  {
    ...setting('security/authenticator-app', '/security', [security.confirm, 'two-factor/verify-totp'], code),
    open: press(security.addApp),
    isSecret: true,
  },
  {
    ...setting('security/passkeys', '/security', [security.save, 'passkey/update-passkey'], {
      [security.passkeyName]: 'The key on the ring',
    }),
    open: showPasskey,
  },
  {
    ...form('ui/dialogs/confirm-identity', '/settings/data', [en.common.continue, '/api/auth/confirm'], {
      [en.fresh.password]: 'not this one',
    }),
    open: exportTooLate,
    isSecret: true,
  },
  {
    ...form('pages/settings/own-data', '/settings/data', [common.save, '/api/update_data'], {
      [en.data.ownLabel]: '{ "theme": "dark" }',
    }),
  },
  {
    ...setting('data', '/data', [en.data.confirmAction, 'delete-user'], {
      [en.data.confirmPassword]: 'not this one',
    }),
    open: press(en.data.deleteAction),
    isSecret: true,
  },
]

async function askForAddress(page: Page): Promise<void> {
  await page.route('**/api/auth/change-email', (route) => route.fulfill({ json: { status: true } }))
  await page.getByLabel(en.profile.newEmail).fill('ann@elsewhere.example')
  await press(en.forgot.submit)(page)
}

/** The forms of an organisation, for its owner. */
export const ofAnOwner = (id: string, email: string): readonly Form[] => [
  inOrganizations('organization-form', '?open=new', [organizations.create, 'create'], {
    [organizations.name]: 'Rowers',
  }),
  inOrganizations('invite-member', `/${id}?open=invite`, [organizations.sendInvitation, 'invite-member'], {
    [common.email]: 'carl@example.com',
    [invitation.roles.admin]: CHECKED,
  }),
  {
    ...inOrganizations('members', `/${id}`, [common.save, 'update-member-role'], { [invitation.roles.admin]: CHECKED }),
    open: press(organizations.changeRolesTitle(email)),
  },
  {
    ...setting('organizations/teams', `/organizations/${id}`, [organizations.newTeam, 'organization/create-team'], {
      [organizations.name]: 'The first boat',
    }),
    open: press(organizations.newTeam),
  },
  {
    ...setting('organizations/own-roles', `/organizations/${id}`, [organizations.newRole, 'organization/create-role'], {
      [organizations.roleName]: 'steerer',
      'member:create': CHECKED,
    }),
    open: press(organizations.newRole),
  },
]

function inOrganizations(source: string, path: string, [button, sent]: Named, typed: Typed): Form {
  const sends = `/api/auth/organization/${sent}`
  return form(`pages/organizations/${source}`, `/settings/organizations${path}`, [button, sends], typed)
}

async function showInvitation(page: Page): Promise<void> {
  const json = { organization: null, inviter: null, role: null, hasAccount: true }
  await page.route('**/api/auth/show-invitation', (route) => route.fulfill({ json }))
  await page.reload()
}

async function showPasskey(page: Page): Promise<void> {
  const held = await page.evaluate<object>("fetch('/api/auth/security-overview').then((a) => a.json())")
  const json = { ...held, passkeys: [{ id: 'a', name: 'Phone', createdAt: 0, lastUsedAt: null }] }
  await page.route('**/api/auth/security-overview', (route) => route.fulfill({ json }))
  await page.reload()
}

async function exportTooLate(page: Page): Promise<void> {
  const json = { code: 'SESSION_NOT_FRESH', message: 'SESSION_NOT_FRESH' }
  await page.route('**/api/export_account', (route) => route.fulfill({ status: 403, json }))
  await press(en.common.download)(page)
}

async function findNoDkim(page: Page): Promise<void> {
  const dkim = {
    kind: 'dkim',
    state: 'missing',
    name: '._domainkey.example.com',
    value: null,
    suggestion: null,
  }
  const json = { domain: 'example.com', records: [dkim] }
  await page.route('**/api/admin/check_mail_domain', (route) => route.fulfill({ json }))
  await press(config.mailDomainCheck)(page)
  await page.getByLabel(config.dkimSelector, { exact: true }).waitFor()
  await page.unroute('**/api/admin/check_mail_domain')
}

interface Rows {
  readonly feedbackId: string
  /** An endpoint that gets some of the events. */
  readonly webhookId: string
  readonly userId: string
  readonly applicationId: string
  readonly organizationId: string
}

export const ofTheAdministrator = ({
  feedbackId,
  userId,
  webhookId,
  applicationId,
  organizationId,
}: Rows): readonly Form[] => [
  admin('feedback/feedback-detail', `feedback?open=${feedbackId}`, [common.save, 'update_feedback'], {
    [inbox.note]: 'Ask the smith',
  }),
  admin('feedback/feedback-reply', `feedback?open=${feedbackId}`, [inbox.replySend, 'reply_to_feedback'], {
    [inbox.reply]: 'The smith is on the way',
  }),
  {
    ...admin('feedback/saved-replies', `feedback?open=${feedbackId}`, [replies.save, 'save_reply'], {
      [replies.name]: 'The smith',
      [replies.text]: 'The smith is on the way',
    }),
    open: press(replies.title),
  },
  admin(
    'notifications/notification-editor',
    'notifications?open=new',
    [publishing.publish, 'create_notification'],
    message,
  ),
  admin('users/invite', 'users?open=new', [en.invite.send, 'invite_user'], {
    [en.invite.email]: 'carl@example.com',
    [en.invite.name]: 'Carl',
  }),
  admin('person/person', `users/${userId}?open=write`, [person.send, 'create_notification'], message),
  {
    ...admin('users/bulk-forms', 'users', [person.send, 'create_notification'], message),
    open: pressForAll(person.write),
  },
  {
    ...admin('users/bulk-forms', 'users', [people.suspend, 'suspend_user'], {
      [people.suspendReason]: 'Too many bells',
    }),
    open: pressForAll(people.suspend),
  },
  {
    ...admin('staff', 'staff', [en.staff.add, 'list_users'], { [en.staff.email]: 'ann@example.com' }),
    choose: (place) => place.getByRole('checkbox').first().check(),
  },
  {
    ...admin('saved-views', 'users?status=active', [views.save, 'save_view'], {
      [views.name]: 'Those of the gate',
    }),
    open: press(views.title),
  },
  {
    ...form(
      'pages/console/person/act-as',
      `/console/users/${userId}`,
      [person.actAs, '/api/auth/admin/impersonate-user'],
      { [person.actAsReason]: 'Ticket 7' },
    ),
    open: press(person.actAs),
  },
  {
    ...admin('person/person-credits', `users/${userId}`, [person.give, 'give_credits'], {
      [person.amount]: '40',
      [person.note]: 'For the second bell',
    }),
    open: press(person.give),
  },
  {
    ...admin('suspension', `users/${userId}`, [people.suspend, 'suspend_user'], {
      [people.suspendReason]: 'Too many bells',
    }),
    open: press(people.suspend),
  },
  admin('beta-codes', 'beta-codes', [en.codes.makeAction, 'generate_beta_codes'], {
    [en.codes.count]: '12',
  }),
  admin('webhooks/webhooks', 'webhooks', [webhooks.addAction, 'create_webhook'], {
    [webhooks.url]: 'https://hooks.example.com/gate',
  }),
  {
    ...admin('webhooks/endpoint', `webhooks/${webhookId}`, [webhooks.chooseAction, 'update_webhook'], {
      [webhooks.events['user.created']]: CHECKED,
    }),
    open: (page) => page.getByRole('button', { name: new RegExp(`^${webhooks.choose}`) }).click(),
  },
  {
    ...admin('webhooks/endpoint', `webhooks/${webhookId}`, [webhooks.giveKey, 'update_webhook'], {
      [webhooks.key]: 'the-gate',
    }),
    open: (page) => page.getByRole('button', { name: new RegExp(`^${webhooks.giveKey}`) }).click(),
  },
  {
    ...admin(
      'applications/application-editor',
      'applications/new?for=nextjs',
      [applications.register, 'create_application'],
      {
        [applications.fields.name]: 'The portcullis',
        [applications.fields.redirect_uris]: 'https://app.example.com/back',
      },
    ),
  },
  admin('applications/application-brand', `applications/${applicationId}`, [common.save, 'update_application'], {
    [config.fields.css]: '.gh-card {}',
  }),
  admin('applications/product-scopes', 'applications', [applications.declare, 'declare_product_scope'], {
    [applications.scopeName]: 'product:bells:read',
    [applications.scopeWords]: 'hear the bells',
  }),
  admin('settings/email', 'settings/email', [config.testMailSend, 'send_test_email'], {
    [common.email]: 'carl@example.com',
  }),
  {
    ...admin('settings/mail-domain', 'settings/email', [config.mailDomainCheck, 'check_mail_domain'], {
      [config.dkimSelector]: 'mail2026',
    }),
    open: findNoDkim,
  },
  { ...part('email', 'email', '/email', { [config.fields.provider]: 'api' }), button: config.saveAndTest },
  part('plain-parts', 'authentication', '', {
    [config.fields.email_user_action_cooldown_seconds]: '77',
    [config.fields.email_signup_domain_allowlist]: 'example.com',
  }),
  part('providers', 'authentication', '/providers', { [config.clientId]: 'an-identifier' }),
  part('plain-parts', 'credits', '/credits', { [config.fields.signup_reward_amount]: '12' }),
  part('plain-parts', 'ai', '/ai', { [config.fields.model]: 'a-model' }),
  part('plain-parts', 'assistants', '/assistants', { [config.fields.registration]: CHECKED }),
  {
    ...admin('assistants', 'connect', [common.save, 'update_assistants_config'], {
      [config.fields.registration]: CHECKED,
    }),
    isPart: true,
  },
  // A hook that is off shows its switch alone.
  part('hooks', 'hooks', '/hooks', {
    [config.fields.enabled]: CHECKED,
    [config.fields.url]: 'https://hooks.example.com/gate',
  }),
  part('hooks', 'hooks', '/hooks', { [config.fields.claims]: '{ "plan": "user.public.plan" }' }),
  part('hooks', 'hooks', '/hooks', { [config.fields.own_data_shown]: CHECKED }),
  part('organizations', 'organizations', '/organizations', { [config.fields.owned_limit]: '7' }),
  part('organizations', 'organizations', '/organizations', { [config.fields.permissions]: 'project: create, delete' }),
  {
    ...part('organizations', 'organizations', '/organizations', { [config.roleName]: 'steerer' }),
    button: config.saveRoles,
    open: press(config.addRole),
  },
  {
    ...admin('organizations/organization', `organizations/${organizationId}`, [common.save, 'update_organization'], {
      [en.allOrganizations.seats]: '12',
    }),
    open: press(en.allOrganizations.seats),
  },
  {
    ...admin(
      'organizations/organization',
      `organizations/${organizationId}?open=add`,
      [en.allOrganizations.add, 'add_member'],
      { [invitation.roles.admin]: CHECKED },
    ),
    async choose(place) {
      await place.getByLabel(en.allOrganizations.person).fill('ben')
      await place.getByRole('button', { name: 'ben@example.com' }).click()
    },
  },
  admin('product-data', `users/${userId}`, [common.save, 'update_user_data'], {
    [person.dataParts.own]: '{ "theme": "dark" }',
  }),
  part('brand/brand', 'brand', '/brand', {
    [config.fields.name]: 'Acme',
    [config.fields.return_origins]: 'https://app.acme.example',
  }),
]

type Named = readonly [button: string, path: string]

function entry(source: string, path: string, [button, sent]: Named, typed: Typed): Form {
  return form(`pages/entry/${source}`, path, [button, `/api/auth/${sent}`], typed)
}

function setting(source: string, path: string, [button, sent]: Named, typed: Typed): Form {
  return form(`pages/settings/${source}`, `/settings${path}`, [button, `/api/auth/${sent}`], typed)
}

function admin(source: string, path: string, [button, sent]: Named, typed: Typed): Form {
  return form(`pages/console/${source}`, `/console/${path}`, [button, `/api/admin/${sent}`], typed)
}

function part(source: string, name: string, page: string, typed: Typed): Form {
  const sent = [common.save, `update_${name}_config`] as const
  return { ...admin(`settings/${source}`, `settings${page}`, sent, typed), isPart: true }
}
