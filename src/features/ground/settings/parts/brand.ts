import { z } from 'zod'
import { LANGUAGES } from '../../../../rules/languages.ts'
import { brandName } from '../brand/brand.ts'
import { Language, Name } from '../brand/input.ts'
import { FONTS, OWN_STYLE, type PictureName, Style } from '../brand/look/look.ts'
import { Picture, PictureFile } from '../brand/look/picture-file.ts'
import { addressOfOwn } from '../brand/look/shown.ts'
import { changeTo, partFields } from './fields.ts'
import { settingsPart, unique } from './part.ts'

const WebAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/, error: 'Enter a web address.' }).max(2048)])

/** Compared as text, so it is stored as browsers write it. */
const Origin = z
  .url({ protocol: /^https?$/, error: 'Enter an origin, like https://app.example.com.' })
  .max(256)
  .refine((address) => isOrigin(address), 'Enter only scheme, host and port, like https://app.example.com.')
  .overwrite((address) => URL.parse(address)?.origin ?? address)

const picture = { stored: Picture.nullable().default(null), sent: changeTo(PictureFile), change: 'picture' } as const
const colour = { stored: z.string().default(''), sent: Style.shape.accent }

export const brandFields = partFields({
  /** '' for APP_NAME. */
  name: { stored: z.string().default(''), sent: Name },
  logo: picture,
  logo_dark: picture,
  favicon: picture,
  accent: colour,
  accent_dark: colour,
  background: colour,
  radius: { stored: z.int().default(OWN_STYLE.radius), sent: Style.shape.radius },
  font: { stored: z.enum(FONTS).default(OWN_STYLE.font), sent: Style.shape.font },
  /** Can hide what a consent page says. */
  css: { stored: z.string().default(''), sent: Style.shape.css, guarded: true },
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

/** Room for three pictures as text. */
const LARGEST_BYTES = 1024 * 1024

export const brand = settingsPart('brand', brandFields, {
  beside: {
    /** The name in use: APP_NAME if none is set. */
    shown_name: z.string(),
    logo_url: z.string().nullable(),
    logo_dark_url: z.string().nullable(),
    favicon_url: z.string().nullable(),
  },
  besideOf: ({ config }, { brand }) => ({
    shown_name: brandName(config, brand),
    logo_url: urlOf('logo', brand.logo),
    logo_dark_url: urlOf('logo_dark', brand.logo_dark),
    favicon_url: urlOf('favicon', brand.favicon),
  }),
  updates: { largestBodyBytes: LARGEST_BYTES },
})

function urlOf(name: PictureName, picture: Picture | null): string | null {
  return picture && addressOfOwn(name, picture.digest)
}

function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.href === `${url.origin}/`
}
