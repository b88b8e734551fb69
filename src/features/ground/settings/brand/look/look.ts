import { z } from 'zod'
import { Accent } from '../input.ts'
import { Css } from './css.ts'
import type { Picture } from './picture-file.ts'

export const PICTURES = ['logo', 'logo_dark', 'favicon'] as const
export type PictureName = (typeof PICTURES)[number]

export const FONTS = ['system', 'humanist', 'geometric', 'serif', 'mono'] as const

/** How pages look, apart from their pictures: as it is sent, and as it is without a choice. */
export const Style = z.object({
  /** '' for the pages' own colour. */
  accent: Accent,
  /** '' for one made from `accent`. */
  accent_dark: Accent,
  /** A colour for light, from which the dark one is made; '' for the pages' own. */
  background: Accent,
  /** Of fields and buttons, in pixels; everything else is in proportion. */
  radius: z.int().min(0).max(16),
  font: z.enum(FONTS),
  css: Css,
})
export type Style = z.output<typeof Style>

export const OWN_STYLE: Style = { accent: '', accent_dark: '', background: '', radius: 8, font: 'system', css: '' }

export type Look = Style & Readonly<Record<PictureName, Pick<Picture, 'type' | 'digest'> | null>>
