import { z } from 'zod'
import { withoutPassword } from '../../../../config/listing.ts'
import { lineOf } from '../../../../rules/names.ts'
import { hasServer } from '../mail-provider.ts'
import { partFields, plain, secret } from './fields.ts'
import { settingsPart } from './part.ts'

const Provider = z.enum(['smtp', 'api', 'outbox'])

/** A name or an address in numbers, without scheme and port. */
const MailHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9_.:-]+$/)

export const emailFields = partFields({
  provider: { ...plain(Provider.nullable().default(null)), guarded: true },
  api_key: { ...secret, guarded: true },
  smtp_host: { stored: z.string().default(''), sent: z.union([z.literal(''), MailHost]), guarded: true },
  smtp_port: { stored: z.number().default(587), sent: z.int().min(1).max(65_535), guarded: true },
  smtp_user: { stored: z.string().default(''), sent: lineOf(320), guarded: true },
  smtp_password: { ...secret, guarded: true },
})

export const email = settingsPart('email', emailFields, {
  beside: {
    /** The choices this deployment offers. */
    available_providers: z.array(Provider),
    /** SMTP_URL without its password. It replaces the server of the settings. */
    smtp_url: z.string().nullable(),
    /** The API's base address, which EMAIL_API_URL can change. */
    api_url: z.string(),
  },
  besideOf: ({ mail, config }) => ({
    available_providers: [...mail.providers],
    smtp_url: withoutPassword(mail.smtpUrl) ?? null,
    api_url: config.emailApiUrl,
  }),
  // Each field decides where letters go.
  updates: { grants: 'refused' },
  // A password belongs to the server that it was entered for, and is never sent to another.
  base: (now, { smtp_host = now.smtp_host }) => (smtp_host === now.smtp_host ? now : { ...now, smtp_password: '' }),
  faults: ({ mail }, { authentication, email }) => [
    {
      if: email.provider === null && authentication.email_verification_required,
      path: 'provider',
      message: 'Email verification is required, and without a provider codes cannot be sent.',
    },
    {
      if: email.provider !== null && !mail.providers.includes(email.provider),
      path: 'provider',
      message: `This deployment does not offer ${email.provider}.`,
    },
    {
      if: email.provider === 'api' && email.api_key === '',
      path: 'api_key',
      message: 'The email API needs a key.',
    },
    {
      if: email.provider === 'smtp' && !hasServer(mail, email),
      path: 'smtp_host',
      message: 'Name the mail server, or set SMTP_URL at deployment.',
    },
    {
      if:
        email.provider === 'smtp' && mail.smtpUrl === undefined && email.smtp_user !== '' && email.smtp_password === '',
      path: 'smtp_password',
      message: 'A user of a mail server needs a password, and another server needs its own.',
    },
  ],
})
