import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'

/** The description of an action; an action that the catalogue does not know keeps its code. */
export function useActionWords(): (action: string) => string {
  const { audit } = useTexts()
  const known: Record<string, string> = audit.actions
  return (action) => known[action] ?? action
}

/** The facts of an entry: names and values in words if the catalogue has them. */
export function AuditDetails({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const { audit, scopes, config, failures } = useTexts()
  const names: Record<string, string> = audit.detailNames
  const values: Record<string, string> = {
    ...failures,
    ...fieldWords(config),
    ...scopes,
    ...audit.detailValues,
  }
  return (
    <dl className="text-small">
      {Object.entries(details).map(([name, value]) => (
        <div key={name}>
          <dt className="inline text-ink-soft">{names[name] ?? name}:</dt>{' '}
          <dd className="inline">
            <PersonText>{plain(value, values)}</PersonText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The fields of the settings, by the labels they have there. */
function fieldWords(config: Texts['config']): Record<string, string> {
  return {
    registration_enabled: config.registration,
    email_signup_domain_allowlist: config.domains,
    email_user_action_cooldown_seconds: config.cooldown,
    beta_gate_enabled: config.gate,
    email_verification_required: config.verification,
    challenge_enabled: config.challenge,
    second_factor: config.secondFactor,
    passkey_sign_up_enabled: config.passkeySignUp,
    signup_reward_enabled: config.reward,
    signup_reward_amount: config.rewardAmount,
    api_key: config.apiKey,
    base_url: config.aiBaseUrl,
    home_url: config.homeUrl,
    terms_url: config.termsUrl,
    privacy_url: config.privacyUrl,
    return_origins: config.returnOrigins,
  }
}

function plain(value: unknown, known: Readonly<Record<string, string>>): string {
  if (Array.isArray(value)) return value.map((part) => plain(part, known)).join(', ')
  if (value === null) return '–'
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return (
    known[text] ?? text.replace(/^(?:provider_[ab]|community)_\w+$/, (field) => field.replaceAll('_', ' '))
  )
}
