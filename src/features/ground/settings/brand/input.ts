import { z } from 'zod'
import { LANGUAGES } from '../../../../rules/languages.ts'
import { lineOf } from '../../../../rules/names.ts'

export const Language = z.enum(LANGUAGES)
export type Language = z.output<typeof Language>

export const Name = lineOf(64)

export const Accent = z.union([
  z.literal(''),
  z
    .string()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'Enter a colour like #1d5c4c.'),
])

const Shades = z.object({ accent: z.string(), strong: z.string(), soft: z.string(), on: z.string() })

export const Palette = z.object({ light: Shades, dark: Shades })

/** The pictures, colours and style sheet of a page. */
export const ShownLook = z.object({
  /** Of an application that has a logo of its own, which would not suit the installation's name. */
  name: z.string().optional(),
  logo_url: z.string().nullable(),
  logo_dark_url: z.string().nullable(),
  favicon_url: z.string().nullable(),
  style_url: z.string().nullable(),
  palette: Palette.nullable(),
  ground: z.object({ light: z.string(), dark: z.string() }).nullable(),
})

/** The part that every page needs. */
export const PublicBrand = z.object({
  ...ShownLook.shape,
  home_url: z.string(),
  terms_url: z.string(),
  privacy_url: z.string(),
  languages: z.array(Language),
})
export type PublicBrand = z.input<typeof PublicBrand>
