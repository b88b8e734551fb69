import type { Output } from './api.ts'

export type ClientConfig = Output<'/api/client_config'>
export type Palette = NonNullable<ClientConfig['brand']['palette']>

/** The operator's colours in place of ours, and the logo as the site's icon. */
export function applyBrand({ brand }: ClientConfig): void {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(shadesOf('light', brand.palette?.light))) put(style, name, value)
  for (const [name, value] of Object.entries(shadesOf('dark', brand.palette?.dark))) put(style, name, value)
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon && brand.logo_url) icon.href = brand.logo_url
}

/** The tokens of styles.css that a palette sets. */
function shadesOf(theme: 'light' | 'dark', shades: Palette['light'] | undefined) {
  return {
    [`--${theme}-accent`]: shades?.accent,
    [`--${theme}-accent-strong`]: shades?.strong,
    [`--${theme}-accent-soft`]: shades?.soft,
    [`--${theme}-on-accent`]: shades?.on,
  }
}

function put(style: CSSStyleDeclaration, name: string, value: string | undefined): void {
  if (value === undefined) style.removeProperty(name)
  else style.setProperty(name, value)
}
