import type { Look, PictureName } from './look.ts'
import { coloursOf, type Palette } from './palette.ts'
import { digestOf } from './picture-file.ts'
import { sheetOf } from './sheet.ts'

export interface ShownLook {
  readonly name?: string
  readonly logo_url: string | null
  readonly logo_dark_url: string | null
  readonly favicon_url: string | null
  /** Null for the pages' own style. */
  readonly style_url: string | null
  /** Null for the pages' own colours. */
  readonly palette: Palette | null
  /** What is behind the pages, for what browsers draw around them; null for the pages' own. */
  readonly ground: { readonly light: string; readonly dark: string } | null
}

/** Makes the address of a file of a look. A new file has a new address, so browsers can cache each forever. */
export type AddressOf = (file: PictureName | 'style', digest: string) => string

export const addressOfOwn: AddressOf = (file, digest) => `/api/brand/${file}?v=${digest}`

export function shownLook(look: Look, addressOf: AddressOf): ShownLook {
  const urlOf = (name: PictureName) => look[name] && addressOf(name, look[name].digest)
  const sheet = sheetOf(look)
  const { palette, grounds, isAlwaysDark } = coloursOf(look)
  const { accent, accent_dark, background } = look
  return {
    logo_url: (isAlwaysDark && urlOf('logo_dark')) || urlOf('logo'),
    logo_dark_url: urlOf('logo_dark'),
    favicon_url: urlOf('favicon'),
    style_url: sheet === '' ? null : addressOf('style', digestOf(sheet)),
    palette: accent + accent_dark + background === '' ? null : palette,
    ground: background === '' ? null : { light: grounds.light.ground, dark: grounds.dark.ground },
  }
}
