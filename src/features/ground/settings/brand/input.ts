import { z } from 'zod'
import { lineOf } from '../../../../rules/names.ts'
import { LogoFile } from './logo.ts'

export const LANGUAGES = ['en', 'zh'] as const
export const Language = z.enum(LANGUAGES)
export type Language = z.output<typeof Language>

const WebAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/, error: 'Enter a web address.' }).max(2048)])

/** Compared as text, so it is stored as browsers write it. */
const Origin = z
  .url({ protocol: /^https?$/, error: 'Enter an origin, like https://app.example.com.' })
  .max(256)
  .refine((address) => isOrigin(address), 'Enter only scheme, host and port, like https://app.example.com.')
  .transform((address) => new URL(address).origin)

export const Name = lineOf(64)

export const Accent = z.union([
  z.literal(''),
  z
    .string()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'Enter a colour like #1d5c4c.'),
])

const fields = {
  /** '' for APP_NAME. */
  name: Name,
  /** '' for the pages' own colour. */
  accent: Accent,
  home_url: WebAddress,
  terms_url: WebAddress,
  privacy_url: WebAddress,
  return_origins: z.array(Origin).max(100),
  /** The first is for readers who prefer none of them. */
  languages: z.array(Language).min(1),
}

const LogoChange = z.discriminatedUnion('action', [
  z.object({ action: z.literal('keep') }),
  z.object({ action: z.literal('replace'), value: LogoFile }),
  z.object({ action: z.literal('remove') }),
])

export const UpdateBrand = z
  .object({ ...fields, logo: LogoChange })
  .partial()
  .extend({ expected_version: z.int().min(1) })
export type UpdateBrand = z.output<typeof UpdateBrand>

export const BrandConfig = z.object({
  version: z.int(),
  name: z.string(),
  /** The name in use: APP_NAME if none is set. */
  shown_name: z.string(),
  accent: z.string(),
  home_url: z.string(),
  terms_url: z.string(),
  privacy_url: z.string(),
  return_origins: z.array(z.string()),
  languages: z.array(Language),
  logo_url: z.string().nullable(),
})
export type BrandConfig = z.input<typeof BrandConfig>

const Shades = z.object({ accent: z.string(), strong: z.string(), soft: z.string(), on: z.string() })

export const Palette = z.object({ light: Shades, dark: Shades })

/** The part that every page needs. */
export const PublicBrand = z.object({
  logo_url: z.string().nullable(),
  palette: Palette.nullable(),
  home_url: z.string(),
  terms_url: z.string(),
  privacy_url: z.string(),
  languages: z.array(Language),
})
export type PublicBrand = z.input<typeof PublicBrand>

function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.href === `${url.origin}/`
}
