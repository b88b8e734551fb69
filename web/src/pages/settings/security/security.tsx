import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Access } from '../access.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'
import { Sessions } from '../sessions.tsx'
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
          {!isHeldBack(held) && <DevicesAndTools />}
          <RecentSignIns held={held} />
        </>
      )}
    </Loaded>
  )
}

function DevicesAndTools() {
  return (
    <>
      <Sessions />
      <Access />
    </>
  )
}

function NextStep({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  return (
    <Card title={security.title}>
      <Notice look={nextOf(held) === 'second' ? 'done' : 'info'}>
        {isHeldBack(held) ? security.required : security.next[nextOf(held)]}
      </Notice>
    </Card>
  )
}

/** From everything but adding a factor. */
function isHeldBack(held: SecurityOverview): boolean {
  return held.isRequired && !hasFactor(held)
}

function hasFactor({ totp, passkeys }: SecurityOverview): boolean {
  return totp !== null || passkeys.length > 0
}

function nextOf(held: SecurityOverview): 'factor' | 'codes' | 'second' {
  if (!hasFactor(held)) return 'factor'
  return held.backupCodesLeft === 0 ? 'codes' : 'second'
}
