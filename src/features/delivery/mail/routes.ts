import { z } from 'zod'
import { Done } from '../../../http/requests/body.ts'
import { preferredLanguages } from '../../../http/requests/languages.ts'
import { protectedRoute } from '../../../http/route.ts'
import { Email } from '../../../rules/email.ts'
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
    limit: 'test-mails',
    handle: async ({ platform, exchange, caller }, { to }) => {
      const settings = await currentSettings(platform, caller.settingsRevision)
      const language = offeredLanguage(preferredLanguages(exchange), settings)
      await sendTestEmail(platform, settings, { to, language })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/check_mail_domain',
    summary: 'Look up the records of the mail domain that receivers check: SPF, DKIM and DMARC',
    scope: 'config:email:read',
    input: CheckMailDomain,
    output: MailDomain,
    limit: 'mail-domain-checks',
    handle: async ({ platform, exchange, caller }, { dkim_selector }) => {
      const settings = await currentSettings(platform, caller.settingsRevision)
      return checkMailDomain(platform, settings, dkim_selector, exchange.leaving)
    },
  }),
] as const
