import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Place } from '../../place.tsx'
import { Accounts } from '../accounts.tsx'
import { Impersonations } from '../impersonations.tsx'
import { Password } from '../password.tsx'
import { securityQuery } from '../queries.ts'
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
          {!mustAddFactor(held) && <Ways />}
          <Passkeys held={held} />
          <AuthenticatorApp held={held} />
          {hasFactor(held) && <BackupCodes held={held} />}
          {hasFactor(held) && <TrustedDevices held={held} />}
          {!mustAddFactor(held) && (
            <Place id="sessions">
              <Sessions />
            </Place>
          )}
          <Impersonations />
          <RecentSignIns held={held} />
        </>
      )}
    </Loaded>
  )
}

/** What the user signs in with. */
function Ways() {
  return (
    <>
      <Place id="password">
        <Password />
      </Place>
      <Place id="accounts">
        <Accounts />
      </Place>
    </>
  )
}
