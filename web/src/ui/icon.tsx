// Drawn for this project on a grid of 20, one stroke.
const paths = {
  home: 'M3.5 9 10 3.5 16.5 9v7.5h-4.25V12h-4.5v4.5H3.5Z',
  bell: 'M5 8.5a5 5 0 0 1 10 0c0 4 1.5 5 1.5 5h-13S5 12.5 5 8.5M8.25 16.5a2 2 0 0 0 3.5 0',
  message: 'M3.5 4.5h13v9h-6l-3.75 3v-3H3.5Z',
  settings: 'M3 6h8m4 0h2M3 14h2m4 0h8M13 4v4M7 12v4',
  gate: 'M4 17V9a6 6 0 0 1 12 0v8M8 17V9.5a2 2 0 0 1 4 0V17',
  user: 'M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5M3.75 16.5c.8-2.6 3.2-4 6.25-4s5.45 1.4 6.25 4',
  users:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2 16.5c.7-2.6 2.8-4 5.5-4s4.8 1.4 5.5 4M13 3.75a3 3 0 0 1 0 5.5M15 12.75c1.6.6 2.6 1.9 3 3.75',
  apps: 'M3.5 3.5h5v5h-5ZM11.5 3.5h5v5h-5ZM3.5 11.5h5v5h-5ZM11.5 11.5h5v5h-5Z',
  key: 'M12.75 10.75a3.75 3.75 0 1 0-3.5-2.4L3.5 14v2.5h2.75V14.5h2v-2h1.5l1-2',
  link: 'M8.5 11.5a3 3 0 0 0 4.25 0l3-3A3 3 0 0 0 11.5 4.25l-1 1M11.5 8.5a3 3 0 0 0-4.25 0l-3 3a3 3 0 0 0 4.25 4.25l1-1',
  device: 'M3 4.5h14v9H3ZM7.5 16.5h5M10 13.5v3',
  terminal: 'M3 4h14v12H3ZM6 8l2.25 2L6 12M10.5 12.5H14',
  download: 'M10 3.5v9M6.25 9 10 12.75 13.75 9M3.5 16.5h13',
  trash: 'M3.5 5.5h13M8 5.5v-2h4v2M5.25 5.5l.75 11h8l.75-11M8.25 8.5v5M11.75 8.5v5',
  check: 'm4 10.5 4 4 8-9',
  cross: 'm5 5 10 10M15 5 5 15',
  menu: 'M3 6h14M3 10h14M3 14h14',
  'chevron-down': 'm5.5 8 4.5 4.5L14.5 8',
  'chevron-left': 'm12 5-5 5 5 5',
  'chevron-right': 'm8 5 5 5-5 5',
  contrast: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 3v14M10 6h5M10 10h7M10 14h5',
  columns: 'M3.5 4h13v12h-13ZM8 4v12M12.5 4v12',
  'arrow-up': 'M10 16V4m-4 4 4-4 4 4',
  'arrow-down': 'M10 4v12m-4-4 4 4 4-4',
  copy: 'M7 7h9.5v9.5H7ZM13 7V3.5H3.5V13H7',
  eye: 'M2.5 10S5 4.75 10 4.75 17.5 10 17.5 10 15 15.25 10 15.25 2.5 10 2.5 10M10 12.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5',
  'eye-off':
    'M4.5 6.9C3.2 8.3 2.5 10 2.5 10S5 15.25 10 15.25c1.2 0 2.3-.3 3.2-.75M7.6 5.1A7 7 0 0 1 10 4.75c5 0 7.5 5.25 7.5 5.25s-.6 1.4-1.9 2.75M3.5 3.5l13 13',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 9.25v4M10 6.5v.25',
  warning: 'M10 3.5 17.5 16.5h-15ZM10 8.25v3.5M10 14v.25',
  globe: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M3 10h14M10 3c2 2 3 4.3 3 7s-1 5-3 7c-2-2-3-4.3-3-7s1-5 3-7',
  pencil: 'm3.5 16.5.75-3.5L13.5 3.75l2.75 2.75L7 15.75ZM11.75 5.5l2.75 2.75',
  shield: 'M10 3 4 5.25v4.5c0 3.5 2.5 6 6 7.25 3.5-1.25 6-3.75 6-7.25v-4.5Z',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 6v4l2.75 1.75',
  funnel: 'M3.5 4.500h13l-5 6v4.750l-3 1.250v-6Z',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11m4-1.5 3.5 3.5',
  plus: 'M10 4v12M4 10h12',
  inbox: 'M3 11.5 5 4.5h10l2 7v4.5H3ZM3 11.5h4l1 2h4l1-2h4',
  coins:
    'M8 11.5c3 0 5-1 5-2.5v-3M8 8.5c2.8 0 5-1.1 5-2.5S10.8 3.5 8 3.5 3 4.6 3 6s2.2 2.5 5 2.500M3 6v7.500c0 1.4 2.2 2.5 5 2.500s5-1.1 5-2.500V9M3 9.750c0 1.4 2.2 2.5 5 2.500s5-1.1 5-2.5',
  layers: 'm10 3.5 7 3.5-7 3.500L3 7Zm-7 7 7 3.5 7-3.500M3 13.750l7 3.5 7-3.5',
  ticket: 'M3 5.500h14v3a1.75 1.75 0 0 0 0 3.250v3H3v-3A1.75 1.75 0 0 0 3 8.500ZM12 5.500v9.25',
  scroll: 'M5 3.500h8.500v13H5ZM7.5 7H11M7.5 10H11M7.5 13h2M13.5 6.500H16v10h-2.5',
  gauge: 'M3.5 14.500a7 7 0 1 1 13 0M10 11.500l3-3.5',
  mail: 'M3 5h14v10H3Zm0 .5 7 5.5 7-5.5',
  sparkle: 'M10 3c.6 4 2.9 6.4 7 7-4.1.6-6.4 3-7 7-.6-4-2.9-6.4-7-7 4.1-.6 6.4-3 7-7',
  'arrow-right': 'M4 10h12m-5-5 5 5-5 5',
  'sign-out': 'M8 3.500H4v13h4M8 10h8.500m-3.5-3.500L16.5 10 13 13.5',
} as const

export type IconName = keyof typeof paths

export const iconNames = Object.keys(paths).filter((name): name is IconName => name in paths)

/** Decoration only: its meaning must also be in the text. */
export function Icon({ name, className = 'size-[1.2rem]' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 20 20"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  )
}
