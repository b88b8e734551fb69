import { Done, Nothing, StatusTrue } from '../../../http/requests/body.ts'
import { publicRoute, sessionRoute } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { currentName } from '../../ground/settings/brand/current-name.ts'
import { revokeTrustedDevice } from '../sessions/trusted-devices.ts'
import { confirm, requireOwner } from './confirming.ts'
import { disableTotp, enableTotp, renewBackupCodes, totpUriOf } from './enrolment.ts'
import * as input from './input.ts'
import { securityOverview } from './overview.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { removeFactors } from './removing.ts'
import { verifyBackupCode, verifyTotp } from './second-step.ts'

export const secondFactorRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/auth/confirm',
    summary: 'Confirm with the password, a code or a passkey; for 15 minutes this session counts as fresh',
    secondFactor: 'not needed',
    input: input.Confirm,
    output: StatusTrue,
    limit: 'confirmations',
    handle: confirm,
  }),
  sessionRoute({
    method: 'GET',
    path: '/api/auth/security-overview',
    summary: "What protects the signed-in user's account",
    secondFactor: 'not needed',
    input: Nothing,
    output: input.SecurityOverview,
    handle: securityOverview,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/two-factor/enable',
    summary: 'Start adding an authenticator app; it takes effect with its first correct code',
    secondFactor: 'not needed',
    input: input.Enable,
    output: input.Enabled,
    limit: 'factor-changes',
    handle: async (call, { password, issuer }) => {
      await requireOwner(call, password)
      return enableTotp(call, issuer ?? (await currentName(call.platform)))
    },
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/two-factor/get-totp-uri',
    summary: 'The secret of an authenticator app that waits for its first code, otherwise of the one in use',
    secondFactor: 'not needed',
    input: input.WithPassword,
    output: input.TotpUri,
    handle: async (call, { password }) => {
      await requireOwner(call, password)
      const totpURI = await totpUriOf(call, await currentName(call.platform))
      if (totpURI === undefined) throw new Refusal('NOT_FOUND', 'This account has no authenticator app.')
      return { totpURI }
    },
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/two-factor/generate-backup-codes',
    summary: 'Ten new backup codes, which replace the old ones',
    input: input.WithPassword,
    output: input.BackupCodes,
    limit: 'factor-changes',
    handle: async (call, { password }) => {
      await requireOwner(call, password)
      return { status: true as const, backupCodes: [...(await renewBackupCodes(call))] }
    },
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/two-factor/disable',
    summary: 'Remove the authenticator app',
    input: input.WithPassword,
    output: StatusTrue,
    handle: async (call, { password }) => {
      await requireOwner(call, password)
      await disableTotp(call)
      return { status: true as const }
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/two-factor/verify-totp',
    session: 'can be opened',
    summary: 'The second step of a sign-in, or the first code of a new authenticator app',
    input: input.VerifyCode,
    output: input.SecondStepDone,
    handle: verifyTotp,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/two-factor/verify-backup-code',
    session: 'can be opened',
    summary: 'The second step of a sign-in with a backup code, which works once',
    input: input.VerifyCode,
    output: input.SecondStepDone,
    handle: verifyBackupCode,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/two-factor/revoke-trusted-device',
    summary: 'Stop trusting a device: its next sign-in needs the second step again',
    input: input.FactorId,
    output: StatusTrue,
    handle: (call, { id }) => revokeTrustedDevice(call, id),
  }),
  ...passkeyRoutes,
  sessionRoute({
    method: 'POST',
    path: '/api/admin/remove_factors',
    role: 'administrator',
    summary: 'Remove the second factors of a user who has lost them; in a fresh session, with a letter to the user',
    input: input.FactorId,
    output: Done,
    needsFreshSession: true,
    handle: (call, { id }) => removeFactors(call, id),
  }),
] as const
