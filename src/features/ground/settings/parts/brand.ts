import { z } from 'zod'
import { brandName } from '../brand/brand.ts'
import { Accent, LANGUAGES, Language, Name } from '../brand/input.ts'
import { Logo, LogoFile, logoPath } from '../brand/logo.ts'
import { changeTo, partFields } from './fields.ts'
import { settingsPart, unique } from './part.ts'

const WebAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/, error: 'Enter a web address.' }).max(2048)])

/** Compared as text, so it is stored as browsers write it. */
const Origin = z
  .url({ protocol: /^https?$/, error: 'Enter an origin, like https://app.example.com.' })
  .max(256)
  .refine((address) => isOrigin(address), 'Enter only scheme, host and port, like https://app.example.com.')
  .overwrite((address) => URL.parse(address)?.origin ?? address)

export const brandFields = partFields({
  /** '' for APP_NAME. */
  name: { stored: z.string().default(''), sent: Name },
  logo: { stored: Logo.nullable().default(null), sent: changeTo(LogoFile), change: 'picture' },
  /** '' for the pages' own colour. */
  accent: { stored: z.string().default(''), sent: Accent },
  home_url: { stored: z.string().default(''), sent: WebAddress },
  terms_url: { stored: z.string().default(''), sent: WebAddress },
  privacy_url: { stored: z.string().default(''), sent: WebAddress },
  return_origins: {
    stored: z.array(z.string()).default([]),
    sent: unique(z.array(Origin).max(100)),
    guarded: true,
  },
  /** The first is for readers who prefer none of them. */
  languages: { stored: z.array(Language).default([...LANGUAGES]), sent: unique(z.array(Language).min(1)) },
})

/** Room for a logo as text. */
const LARGEST_BYTES = 1024 * 1024

export const brand = settingsPart('brand', brandFields, {
  beside: {
    /** The name in use: APP_NAME if none is set. */
    shown_name: z.string(),
    logo_url: z.string().nullable(),
  },
  besideOf: ({ config }, { brand }) => ({
    shown_name: brandName(config, brand),
    logo_url: brand.logo && logoPath(brand.logo),
  }),
  updates: { largestBodyBytes: LARGEST_BYTES },
})

function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.href === `${url.origin}/`
}
