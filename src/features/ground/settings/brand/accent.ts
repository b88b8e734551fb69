import { contrastOf, hexOf, type Oklch, oklchOf } from '../../../../rules/colour.ts'

/** The operator's colour in four shades, like the pages' own tokens. */
interface Shades {
  readonly accent: string
  readonly strong: string
  readonly soft: string
  readonly on: string
}

export interface Palette {
  readonly light: Shades
  readonly dark: Shades
}

/** Used if the operator has set no accent. */
export const OWN_PALETTE: Palette = {
  light: { accent: '#1d5c4c', strong: '#154a3c', soft: '#e2eee8', on: '#ffffff' },
  dark: { accent: '#86cfb4', strong: '#a3dfc8', soft: '#1c322a', on: '#0c211a' },
}

const READABLE = 4.5
const STEP = 0.01
// The backgrounds of web/src/styles.css against which the accent has the least contrast.
const LIGHT_GROUND = '#efede7'
const DARK_GROUND = '#232723'

/** Keeps hue and chroma, and changes the lightness only until text in the colour is readable. */
export function paletteOf(accent: string): Palette {
  const colour = oklchOf(accent)
  return { light: lightShades(colour), dark: darkShades(colour) }
}

function lightShades(colour: Oklch): Shades {
  const soft = hexOf({ ...colour, lightness: 0.94, chroma: Math.min(colour.chroma, 0.03) })
  const readable = moved(colour, -STEP, [LIGHT_GROUND, soft])
  const strong = { ...readable, lightness: readable.lightness - 0.07 }
  return { accent: hexOf(readable), strong: hexOf(strong), soft, on: '#ffffff' }
}

function darkShades(colour: Oklch): Shades {
  const soft = hexOf({ ...colour, lightness: 0.29, chroma: Math.min(colour.chroma, 0.04) })
  const readable = moved(colour, STEP, [DARK_GROUND, soft])
  const strong = { ...readable, lightness: Math.min(readable.lightness + 0.06, 1) }
  const on = hexOf({ ...colour, lightness: 0.2, chroma: Math.min(colour.chroma, 0.04) })
  return { accent: hexOf(readable), strong: hexOf(strong), soft, on }
}

function moved(colour: Oklch, step: number, grounds: readonly string[]): Oklch {
  const isReadable = (tried: Oklch) => grounds.every((ground) => contrastOf(hexOf(tried), ground) >= READABLE)
  const end = step < 0 ? 0 : 1
  let tried = colour
  while (!isReadable(tried) && tried.lightness !== end) {
    const lightness = Math.min(Math.max(tried.lightness + step, 0), 1)
    tried = { ...tried, lightness }
  }
  return tried
}
