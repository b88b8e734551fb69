import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Access } from '../access.tsx'
import { securityQuery, sessionsQuery } from '../queries.ts'
import { Sessions } from '../sessions.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { Guards, hasFactor, mustAddFactor } from './guards.tsx'
import { Passkeys } from './passkeys.tsx'
import { RecentSignIns } from './recent-sign-ins.tsx'
import { TrustedDevices } from './trusted-devices.tsx'

/** The protection of the account, in the order of what to do next. */
export function Security() {
  const overview = useQuery(securityQuery)
  return (
    <Loaded query={overview}>
      {(held) => (
        <>
          <Guards held={held} />
          <Passkeys held={held} />
          <AuthenticatorApp held={held} />
          {hasFactor(held) && <BackupCodes held={held} />}
          {hasFactor(held) && <TrustedDevices held={held} />}
          {!mustAddFactor(held) && <DevicesAndTools />}
          <RecentSignIns held={held} />
        </>
      )}
    </Loaded>
  )
}

function DevicesAndTools() {
  const isSettled = areSettled([useQuery(sessionsQuery)])
  return (
    <>
      <Sessions />
      {isSettled && <Access />}
    </>
  )
}
