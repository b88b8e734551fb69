import { Icon, iconNames } from '../src/ui/icon.tsx'
import { Part } from './part.tsx'

const colours = [
  'ground',
  'surface',
  'raised',
  'sunken',
  'line',
  'line-strong',
  'ink',
  'ink-soft',
  'accent',
  'accent-strong',
  'accent-soft',
  'on-accent',
  'danger',
  'danger-soft',
  'on-danger',
  'warning',
  'warning-soft',
  'veil',
]
const sizes = ['micro', 'tiny', 'small', 'compact', 'base', 'card', 'dialog', 'front', 'page', 'figure']
const spaces = [1, 2, 3, 4, 5, 6, 8, 10]
const radii = ['sm', 'md', 'lg', 'xl']

/** Shows the tokens of styles.css. */
export function Tokens() {
  return (
    <>
      <Part name="Colour">
        <ul className="grid grid-cols-6 gap-3">
          {colours.map((name) => (
            <li key={name} className="text-tiny">
              <span className="block h-12 rounded-md border border-line" style={{ background: `var(--${name})` }} />
              {name}
            </li>
          ))}
        </ul>
      </Part>
      <div className="grid grid-cols-2 gap-8">
        <Part name="Type">
          {sizes.map((name) => (
            <p key={name} style={{ fontSize: `var(--text-${name})` }}>
              {name}: what people read
            </p>
          ))}
          <p className="font-mono">mono: 123 456</p>
        </Part>
        <Part name="Space, corners and shadows">
          {spaces.map((space) => (
            <p key={space} className="flex items-center gap-3 text-tiny">
              <span className="h-3 bg-accent" style={{ width: `calc(var(--spacing) * ${space})` }} /> {space}
            </p>
          ))}
          <p className="flex gap-4">
            {radii.map((radius) => (
              <span
                key={radius}
                className="grid size-16 place-items-center border border-line-strong text-tiny"
                style={{ borderRadius: `var(--radius-${radius})` }}
              >
                {radius}
              </span>
            ))}
            <span className="grid size-16 place-items-center rounded-md bg-raised text-tiny shadow-card">card</span>
            <span className="grid size-16 place-items-center rounded-md bg-raised text-tiny shadow-float">float</span>
          </p>
        </Part>
      </div>
      <Part name="Icons">
        <p className="flex flex-wrap gap-4">
          {iconNames.map((name) => (
            <span key={name} className="flex flex-col items-center gap-1 text-tiny text-ink-soft">
              <Icon name={name} /> {name}
            </span>
          ))}
        </p>
      </Part>
    </>
  )
}
