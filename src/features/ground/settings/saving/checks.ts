import type { Platform } from '../../../../platform/platform.ts'
import type { Issue } from '../../../../rules/refusal.ts'
import { presetOf, socialProviders } from '../../provider-presets/presets.ts'
import { hasServer, usableProvider } from '../mail-provider.ts'
import type { Part, Settings } from '../model.ts'

interface Save {
  readonly part: Part
  readonly fields: readonly string[]
  readonly before: Settings
  readonly after: Settings
}

/**
 * The faults a save causes: in a value that it sends, or in one that was sound before. What a restart with other
 * deployment values has made wrong blocks no save, so that an administrator can always close registration.
 */
export function issuesOfSave(platform: Platform, { part, fields, before, after }: Save): readonly Issue[] {
  const known = issuesOf(platform, part, before).map(({ path }) => path)
  return issuesOf(platform, part, after).filter(({ path }) => fields.includes(path) || !known.includes(path))
}

/** The faults of a whole part, together with the parts it depends on. */
function issuesOf(platform: Platform, part: Part, settings: Settings): readonly Issue[] {
  switch (part) {
    case 'authentication':
      return [...ruleIssues(platform, settings), ...providerIssues(platform, settings)]
    case 'email':
      return emailIssues(platform, settings)
    case 'credits':
      return creditsIssues(settings)
    case 'ai':
      return aiIssues(settings)
    case 'brand':
    case 'assistants':
      return []
  }
}

function ruleIssues({ challenge, mail }: Platform, { authentication, email }: Settings): readonly Issue[] {
  const canSend = usableProvider(mail, email) !== undefined
  return [
    ...when(authentication.email_verification_required && !canSend, {
      path: 'email_verification_required',
      message: 'Choose an email provider first: without one, codes cannot be sent.',
    }),
    ...when(authentication.challenge_enabled && challenge.siteKey === undefined, {
      path: 'challenge_enabled',
      message: 'No challenge keys are set at deployment (CHALLENGE_SITE_KEY, CHALLENGE_SECRET).',
    }),
  ]
}

function providerIssues({ config }: Platform, { authentication }: Settings): readonly Issue[] {
  return socialProviders.flatMap((provider) => {
    const { enabled, client_id, client_secret } = authentication[provider]
    if (!enabled) return []
    return [
      ...when(client_id === '', {
        path: `${provider}_client_id`,
        message: 'An enabled provider needs a client id.',
      }),
      ...when(client_secret === '', {
        path: `${provider}_client_secret`,
        message: 'An enabled provider needs a client secret.',
      }),
      ...when(presetOf(config, provider) === undefined, {
        path: `${provider}_enabled`,
        message: 'No address is set at deployment (COMMUNITY_AUTH_URL).',
      }),
    ]
  })
}

function emailIssues({ mail }: Platform, { authentication, email }: Settings): readonly Issue[] {
  return [
    ...when(email.provider === null && authentication.email_verification_required, {
      path: 'provider',
      message: 'Email verification is required, and without a provider codes cannot be sent.',
    }),
    ...when(email.provider !== null && !mail.providers.includes(email.provider), {
      path: 'provider',
      message: `This deployment does not offer ${email.provider}.`,
    }),
    ...when(email.provider === 'api' && email.api_key === '', {
      path: 'api_key',
      message: 'The email API needs a key.',
    }),
    ...when(email.provider === 'smtp' && !hasServer(mail, email), {
      path: 'smtp_host',
      message: 'Name the mail server, or set SMTP_URL at deployment.',
    }),
    ...when(isWithoutPassword(mail, email), {
      path: 'smtp_password',
      message: 'A user of a mail server needs a password, and another server needs its own.',
    }),
  ]
}

function isWithoutPassword({ smtpUrl }: Platform['mail'], email: Settings['email']): boolean {
  const isUsed = email.provider === 'smtp' && smtpUrl === undefined
  return isUsed && email.smtp_user !== '' && email.smtp_password === ''
}

function creditsIssues({ credits }: Settings): readonly Issue[] {
  return when(credits.signup_reward_enabled && credits.signup_reward_amount === 0, {
    path: 'signup_reward_amount',
    message: 'An enabled reward needs an amount.',
  })
}

function aiIssues({ ai }: Settings): readonly Issue[] {
  return [
    ...when(ai.enabled && ai.base_url === '', {
      path: 'base_url',
      message: 'AI needs an address to be enabled.',
    }),
    ...when(ai.enabled && ai.model === '', { path: 'model', message: 'AI needs a model to be enabled.' }),
  ]
}

function when(isWrong: boolean, issue: Issue): readonly Issue[] {
  return isWrong ? [issue] : []
}
