import { useClientConfig, useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import type { SecurityOverview } from '../queries.ts'

interface Guard {
  readonly name: string
  readonly state: string
  readonly isThere: boolean
}

/** The protection of the account, and the next thing to do. */
export function Guards({ held }: { readonly held: SecurityOverview }) {
  const { security, verify } = useTexts()
  const { email } = useSignedIn().user
  const canVerify = useCanVerify(held, email)
  const next = nextOf(held, canVerify)
  const toVerify = `/verify?${new URLSearchParams({ email, send: 'now' })}`
  return (
    <Card title={security.title}>
      <Notice
        look={next === 'second' ? 'done' : 'info'}
        action={next === 'address' && <TextLink to={toVerify}>{verify.submit}</TextLink>}
      >
        {mustAddFactor(held) ? security.required : security.next[next]}
      </Notice>
      <ul className="mt-5 grid gap-x-8 gap-y-3 sm:grid-cols-2">
        {useGuards(held).map(({ name, state, isThere }) => (
          <li key={name} className="flex items-center justify-between gap-3">
            <span>{name}</span>
            <Badge look={isThere ? 'accent' : 'plain'}>{state}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Missing guards come first. */
function useGuards(held: SecurityOverview): readonly Guard[] {
  const { security } = useTexts()
  const { passkeys, totp, backupCodesLeft, hasPassword, emailVerified } = held
  const { guards } = security
  const all: readonly Guard[] = [
    { name: guards.address, state: guards.verified(emailVerified), isThere: emailVerified },
    { name: guards.password, state: guards.set(hasPassword), isThere: hasPassword },
    { name: security.passkeys, state: String(passkeys.length), isThere: passkeys.length > 0 },
    { name: security.app, state: guards.set(totp !== null), isThere: totp !== null },
    { name: security.backup, state: guards.left(backupCodesLeft), isThere: backupCodesLeft > 0 },
  ]
  return [...all.filter(({ isThere }) => !isThere), ...all.filter(({ isThere }) => isThere)]
}

/** True if this installation sends mail, and the address can receive it. */
function useCanVerify({ emailVerified }: SecurityOverview, email: string): boolean {
  const { forgot_password_shown } = useClientConfig()
  return !emailVerified && forgot_password_shown && !/[@.]community\.local$/.test(email)
}

/** The account can do nothing else until then. */
export function mustAddFactor(held: SecurityOverview): boolean {
  return held.isRequired && !hasFactor(held)
}

export function hasFactor({ totp, passkeys }: SecurityOverview): boolean {
  return totp !== null || passkeys.length > 0
}

function nextOf(held: SecurityOverview, canVerify: boolean): 'breached' | 'factor' | 'codes' | 'address' | 'second' {
  if (held.password_breached) return 'breached'
  if (!hasFactor(held)) return 'factor'
  if (held.backupCodesLeft === 0) return 'codes'
  return canVerify ? 'address' : 'second'
}
