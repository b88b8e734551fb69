import { contrastOf, hexOf, type Oklch, oklchOf } from '../../../../../rules/colour.ts'

/** A colour in four shades, like the pages' own tokens. */
interface Shades {
  readonly accent: string
  readonly strong: string
  readonly soft: string
  readonly on: string
}

/** What lies behind the words, and the words; the names are those of the pages' tokens. */
const OWN_GROUNDS = {
  light: {
    ground: '#f6f5f1',
    surface: '#fffefc',
    raised: '#ffffff',
    sunken: '#efede7',
    line: '#e5e2d9',
    'line-strong': '#c9c5b8',
    ink: '#1b1c19',
    'ink-soft': '#5f5e56',
    danger: '#ab2f22',
    warning: '#7d5206',
  },
  dark: {
    ground: '#121412',
    surface: '#191c19',
    raised: '#1f231f',
    sunken: '#232723',
    line: '#2b302b',
    'line-strong': '#454c45',
    ink: '#ecebe4',
    'ink-soft': '#a5a79d',
    danger: '#f39a8c',
    warning: '#e6bd6c',
  },
} as const

type Grounds = Readonly<Record<keyof typeof OWN_GROUNDS.light, string>>
type Side = keyof typeof OWN_GROUNDS

export interface Palette {
  readonly light: Shades
  readonly dark: Shades
}

export interface Colours {
  readonly palette: Palette
  readonly grounds: Readonly<Record<Side, Grounds>>
  /** True if the operator's background is dark: it is then that of both themes. */
  readonly isAlwaysDark: boolean
}

/** Each is '' or a colour like `#1d5c4c`. */
interface Chosen {
  readonly accent: string
  readonly accent_dark: string
  readonly background: string
}

const OWN_ACCENTS = { light: '#1d5c4c', dark: '#86cfb4' } as const

/** Used if the operator has chosen no colour. */
export const OWN_COLOURS: Colours = {
  palette: {
    light: { accent: OWN_ACCENTS.light, strong: '#154a3c', soft: '#e2eee8', on: '#ffffff' },
    dark: { accent: OWN_ACCENTS.dark, strong: '#a3dfc8', soft: '#1c322a', on: '#0c211a' },
  },
  grounds: OWN_GROUNDS,
  isAlwaysDark: false,
}

const READABLE = 4.5
const STEP = 0.01
const DARKEST_OF_LIGHT = 0.945
const DARK_GROUND_LIGHTNESS = 0.185

/** Keeps hue and chroma, and changes lightness only until all text is readable. */
export function coloursOf(chosen: Chosen): Colours {
  const { accent, accent_dark, background } = chosen
  if (accent + accent_dark + background === '') return OWN_COLOURS
  const isAlwaysDark = background !== '' && contrastOf(background, '#ffffff') > contrastOf(background, '#000000')
  const grounds = background === '' ? OWN_GROUNDS : groundsOf(oklchOf(background), isAlwaysDark)
  const dark = darkShades(oklchOf(accent_dark || accent || OWN_ACCENTS.dark), grounds.dark)
  if (isAlwaysDark) return { palette: { light: dark, dark }, grounds, isAlwaysDark }
  return {
    palette: { light: lightShades(oklchOf(accent || OWN_ACCENTS.light), grounds.light), dark },
    grounds,
    isAlwaysDark,
  }
}

function groundsOf(background: Oklch, isDark: boolean): Colours['grounds'] {
  const tinted = { ...background, chroma: Math.min(background.chroma, 0.02) }
  const dark = darkGrounds(isDark ? background : { ...tinted, lightness: DARK_GROUND_LIGHTNESS })
  return { light: isDark ? dark : lightGrounds(background), dark }
}

/** The card stays almost white on any light background. */
function lightGrounds(ground: Oklch): Grounds {
  const tint = (lightness: number) => hexOf({ ...ground, lightness, chroma: Math.min(ground.chroma, 0.012) })
  const behind = {
    ground: hexOf(ground),
    surface: tint(Math.max(ground.lightness, 0.995)),
    raised: '#ffffff',
    sunken: tint(DARKEST_OF_LIGHT),
    line: tint(0.91),
    'line-strong': tint(0.82),
  }
  return { ...behind, ...inksOn(behind, 'light') }
}

function darkGrounds(ground: Oklch): Grounds {
  const raisedBy = (lightness: number) =>
    hexOf(moved({ ...ground, lightness: ground.lightness + lightness }, -STEP, ['#ffffff']))
  const behind = {
    ground: hexOf(ground),
    surface: raisedBy(0.03),
    raised: raisedBy(0.055),
    sunken: raisedBy(0.07),
    line: raisedBy(0.11),
    'line-strong': raisedBy(0.21),
  }
  return { ...behind, ...inksOn(behind, 'dark') }
}

type Behind = Pick<Grounds, 'ground' | 'surface' | 'raised' | 'sunken'>

const INKS = ['ink', 'ink-soft', 'danger', 'warning'] as const

function inksOn(behind: Behind, side: Side): Pick<Grounds, (typeof INKS)[number]> {
  const ink = (name: (typeof INKS)[number]) =>
    hexOf(moved(oklchOf(OWN_GROUNDS[side][name]), side === 'light' ? -STEP : STEP, wordsOn(behind)))
  return { ink: ink('ink'), 'ink-soft': ink('ink-soft'), danger: ink('danger'), warning: ink('warning') }
}

const wordsOn = ({ ground, surface, raised, sunken }: Behind) => [ground, surface, raised, sunken]

function lightShades(colour: Oklch, grounds: Grounds): Shades {
  const soft = hexOf({ ...colour, lightness: 0.94, chroma: Math.min(colour.chroma, 0.03) })
  const readable = moved(colour, -STEP, [...wordsOn(grounds), soft])
  const strong = { ...readable, lightness: Math.max(readable.lightness - 0.07, 0) }
  return { accent: hexOf(readable), strong: hexOf(strong), soft, on: '#ffffff' }
}

function darkShades(colour: Oklch, grounds: Grounds): Shades {
  const soft = hexOf({ ...colour, lightness: 0.29, chroma: Math.min(colour.chroma, 0.04) })
  const readable = moved(colour, STEP, [...wordsOn(grounds), soft])
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
