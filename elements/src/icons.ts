const SVG = 'http://www.w3.org/2000/svg'

/** Drawn on a grid of 20, one stroke each, since many machines have no font with a bell. */
const PATHS = {
  bell: 'M5 8.5a5 5 0 0 1 10 0c0 4 1.5 5 1.5 5h-13S5 12.5 5 8.5M8.25 16.5a2 2 0 0 0 3.5 0',
  user: 'M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5M3.75 16.5c.8-2.6 3.2-4 6.25-4s5.45 1.4 6.25 4',
  'sign-out': 'M8 3.5H4v13h4M8 10h8.5m-3.5-3.5L16.5 10 13 13.5',
  message: 'M3.5 4.5h13v9h-6l-3.75 3v-3H3.5Z',
  inbox: 'M3 11.5 5 4.5h10l2 7v4.5H3ZM3 11.5h4l1 2h4l1-2h4',
  check: 'm4 10.5 4 4 8-9',
  plus: 'M10 4v12M4 10h12',
  organization: 'M4 17V3.5h8V17M12 8h4v9M2.5 17h15M7 7h2m-2 3.25h2M7 13.5h2',
  choose: 'm6.5 8 3.5-3.5L13.5 8m-7 4 3.5 3.5 3.5-3.5',
  cross: 'm5 5 10 10M15 5 5 15',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  warning: 'M10 3.5 17.5 16.5h-15ZM10 8.25v3.5M10 14v.25',
} as const

export function iconOf(name: keyof typeof PATHS, size = 'icon'): Node {
  const icon = document.createElementNS(SVG, 'svg')
  const shape = { viewBox: '0 0 20 20', 'aria-hidden': 'true', class: size }
  for (const [key, value] of Object.entries(shape)) icon.setAttribute(key, value)
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PATHS[name])
  icon.append(path)
  return icon
}
