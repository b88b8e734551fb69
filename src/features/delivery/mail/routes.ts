import { z } from 'zod'
import { Done } from '../../../http/requests/body.ts'
import { preferredLanguages } from '../../../http/requests/languages.ts'
import { protectedRoute } from '../../../http/route.ts'
import { Email } from '../../../rules/email.ts'
import { countAct } from '../../ground/limits/acts.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { CheckMailDomain, checkMailDomain, MailDomain } from './domain-records.ts'
import { offeredLanguage } from './reader-language.ts'
import { sendTestEmail } from './test-email.ts'

export const mailRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/send_test_email',
    summary: "Send a test mail now, and return the provider's error if it fails",
    scope: 'config:email:write',
    input: z.object({ to: Email }),
    output: Done,
    handle: async (call, { to }) => {
      await countAct(call, 'test-mails')
      const { platform, caller } = call
      const settings = await currentSettings(platform, caller.settingsRevision)
      const language = offeredLanguage(preferredLanguages(call.exchange), settings)
      await sendTestEmail(platform, settings, { to, language })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/check_mail_domain',
    summary: 'Look up what receivers check about the domain that mail comes from: SPF, DKIM and DMARC',
    scope: 'config:email:read',
    input: CheckMailDomain,
    output: MailDomain,
    handle: async (call, { dkim_selector }) => {
      await countAct(call, 'mail-domain-checks')
      const { platform, exchange, caller } = call
      const settings = await currentSettings(platform, caller.settingsRevision)
      return checkMailDomain(platform, settings, dkim_selector, exchange.leaving)
    },
  }),
] as const
