import { OWN_STYLE, type Style } from './look.ts'
import { coloursOf, OWN_COLOURS } from './palette.ts'

const CHINESE = '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC"'
const CHINESE_SERIF = '"Songti SC", SimSun, "Noto Serif CJK SC"'

/** Typefaces that systems have: nothing is fetched. The pages' own is `system`. */
const STACKS = {
  system: `system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, ${CHINESE}, sans-serif`,
  humanist: `Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", ${CHINESE}, sans-serif`,
  geometric: `"Avenir Next", Avenir, Montserrat, Corbel, "URW Gothic", "Century Gothic", ${CHINESE}, sans-serif`,
  serif: `Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, "Noto Serif", ${CHINESE_SERIF}, serif`,
  mono: `ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", ${CHINESE}, monospace`,
} as const satisfies Record<Style['font'], string>

export const stackOf = (font: Style['font']): string => STACKS[font]

/** In proportion to the radius of a field. */
const RADII = { sm: 0.75, md: 1, lg: 1.5, xl: 2 } as const

/** The style sheet of pages with this look, in which the operator's own CSS comes last; '' for the pages' own look. */
export function sheetOf(style: Style): string {
  const tokens = [...colourTokens(style), ...radiusTokens(style), ...fontTokens(style)]
  const scheme = coloursOf(style).isAlwaysDark ? [':root,:root[data-theme]{color-scheme:dark}'] : []
  const own = tokens.length > 0 ? [`:root{${tokens.join(';')}}`] : []
  // Begins with a comment, so that no character of the operator's is the first, which could be read as a mark.
  return [
    ...(style.css === '' ? [] : ['/* brand */']),
    ...scheme,
    ...own,
    ...(style.css === '' ? [] : [style.css]),
  ].join('\n')
}

function colourTokens(style: Style): readonly string[] {
  const { palette, grounds } = coloursOf(style)
  const shades = (['accent', 'strong', 'soft', 'on'] as const).map((name) =>
    token(SHADE_TOKENS[name], palette.light[name], palette.dark[name]),
  )
  const behind = (Object.keys(grounds.light) as (keyof typeof grounds.light)[]).map((name) =>
    token(name, grounds.light[name], grounds.dark[name]),
  )
  return [...(palette === OWN_COLOURS.palette ? [] : shades), ...(grounds === OWN_COLOURS.grounds ? [] : behind)]
}

const SHADE_TOKENS = { accent: 'accent', strong: 'accent-strong', soft: 'accent-soft', on: 'on-accent' } as const

const token = (name: string, light: string, dark: string) => `--${name}:light-dark(${light},${dark})`

function radiusTokens({ radius }: Style): readonly string[] {
  if (radius === OWN_STYLE.radius) return []
  return Object.entries(RADII).map(([size, factor]) => `--radius-${size}:${radius * factor}px`)
}

function fontTokens({ font }: Style): readonly string[] {
  return font === 'system' ? [] : [`--font-sans:${STACKS[font]}`]
}
