import { useTexts } from '../../../texts/texts.tsx'
import { StoredPart } from './part-card.tsx'
import { choice, lines, secret, text, toggle, url, wholeNumber } from './part-fields.tsx'
import { PartForm } from './part-form.tsx'
import type { KindsOf } from './use-part.tsx'

const daySeconds = 86_400
const yearDays = 365
const mostAccounts = 5
const largestReward = 1_000_000_000

type PlainPart = 'authentication' | 'credits' | 'ai' | 'assistants'

/** Parts whose forms are their fields, one below the other. */
const fields: { readonly [P in PlainPart]: KindsOf<P> } = {
  authentication: {
    registration_enabled: toggle,
    email_verification_required: toggle,
    beta_gate_enabled: toggle,
    challenge_enabled: toggle,
    second_factor: choice(
      ['off', 'optional', 'required_for_administrator', 'required'],
      ({ secondFactors }) => secondFactors,
    ),
    impersonation: choice(['off', 'read_only', 'read_and_write'], ({ impersonations }) => impersonations),
    passkey_sign_up_enabled: toggle,
    email_changes: choice(['off', 'verified'], ({ emailChanges }) => emailChanges),
    sign_in_letters: toggle,
    email_signup_domain_allowlist: lines('example.com'),
    email_user_action_cooldown_seconds: wholeNumber(daySeconds),
    unverified_account_days: wholeNumber(yearDays),
    accounts_per_browser: wholeNumber(mostAccounts),
  },
  credits: { signup_reward_enabled: toggle, signup_reward_amount: wholeNumber(largestReward) },
  ai: { enabled: toggle, base_url: url, model: text, api_key: secret },
  assistants: { client_documents: toggle, registration: toggle },
}

export const AuthenticationSettings = () => <Plain part="authentication" />
export const CreditsSettings = () => <Plain part="credits" />
export const AiSettings = () => <Plain part="ai" />
export const AssistantsSettings = () => <Plain part="assistants" />

function Plain<P extends PlainPart>({ part }: { readonly part: P }) {
  const { config } = useTexts()
  const words = { title: config[part], lead: config[`${part}Lead`] }
  return (
    <StoredPart part={part}>
      {(document) => <PartForm {...{ part, document, page: part, fields: fields[part] }} {...words} />}
    </StoredPart>
  )
}
