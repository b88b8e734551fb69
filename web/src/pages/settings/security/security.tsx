import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { Passkeys } from './passkeys.tsx'
import { RecentSignIns } from './recent-sign-ins.tsx'
import { TrustedDevices } from './trusted-devices.tsx'

/** What guards the account, in the order of what to do next. */
export function Security() {
  const overview = useQuery(securityQuery)
  return (
    <Loaded query={overview}>
      {(held) => (
        <>
          <NextStep held={held} />
          <Passkeys held={held} />
          <AuthenticatorApp held={held} />
          {hasFactor(held) && <BackupCodes held={held} />}
          {hasFactor(held) && <TrustedDevices held={held} />}
          <RecentSignIns held={held} />
        </>
      )}
    </Loaded>
  )
}

function NextStep({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  const isHeldBack = held.isRequired && !hasFactor(held)
  return (
    <Card title={security.title}>
      <Notice look={nextOf(held) === 'second' ? 'done' : 'info'}>
        {isHeldBack ? security.required : security.next[nextOf(held)]}
      </Notice>
      <p className="mt-4 text-ink-soft">
        {security.elsewhere} <TextLink to="/settings/sessions">{security.sessionsLink}</TextLink>
        {' · '}
        <TextLink to="/settings/access">{security.toolsLink}</TextLink>
      </p>
    </Card>
  )
}

function hasFactor({ totp, passkeys }: SecurityOverview): boolean {
  return totp !== null || passkeys.length > 0
}

function nextOf(held: SecurityOverview): 'factor' | 'codes' | 'second' {
  if (!hasFactor(held)) return 'factor'
  return held.backupCodesLeft === 0 ? 'codes' : 'second'
}
