import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'
import { describedBy, Field } from './field.tsx'

export const controlClass =
  'gh-input w-full rounded-md border border-line-strong bg-raised px-3 text-ink placeholder:text-ink-soft/70 shadow-card transition-colors hover:border-ink-soft/60 focus:border-accent focus:outline-2 focus:outline-accent/25 focus:outline-offset-0 aria-invalid:border-danger aria-invalid:outline-danger/25 disabled:bg-sunken disabled:text-ink-soft'

type Native = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'name' | 'type' | 'autoComplete' | 'inputMode' | 'maxLength' | 'placeholder' | 'spellCheck'
>

interface Props extends Native {
  readonly label: string
  readonly value: string
  readonly hint?: string | undefined
  /** The problem of the value; shown below the field. */
  readonly problem?: string | undefined
  /** Makes a field of several lines. */
  readonly rows?: number
  readonly corner?: ReactNode
  readonly mono?: boolean
  readonly isDisabled?: boolean
  readonly isReadOnly?: boolean
  readonly isLabelHidden?: boolean
  /** Used in a dialog that asks for nothing else. */
  readonly autoFocus?: boolean
  onChange?(value: string): void
}

export function TextField(props: Props) {
  const { label, hint, problem, corner, isLabelHidden } = props
  const id = useId()
  return (
    <Field {...{ id, label, hint, problem, corner, isLabelHidden }}>
      <Control {...props} id={id} />
    </Field>
  )
}

interface ControlProps extends Props {
  readonly id: string
}

function Control(props: ControlProps) {
  const { id, value, problem, rows, mono, type = 'text', onChange, isDisabled, isReadOnly } = props
  const { name, autoComplete, inputMode, maxLength, placeholder, spellCheck, autoFocus } = props
  const [isShown, setShown] = useState(false)
  const controlClasses = `${controlClass} ${mono ? 'font-mono' : ''}`
  const shared = {
    ...{ id, name, value, autoComplete, inputMode, maxLength, placeholder, spellCheck },
    'aria-describedby': describedBy(id, props),
    'aria-invalid': problem !== undefined || undefined,
    autoFocus,
    disabled: isDisabled,
    readOnly: isReadOnly,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange?.(target.value),
  }
  if (rows) {
    return (
      <textarea {...shared} rows={rows} dir="auto" className={`${controlClasses} resize-y py-2.5 leading-relaxed`} />
    )
  }
  return (
    <span className="relative block">
      <input
        {...shared}
        type={type === 'password' && isShown ? 'text' : type}
        {...(isWritten(type) && { dir: 'auto' })}
        className={`${controlClasses} touch h-10 ${type === 'password' ? 'pr-10' : ''}`}
      />
      {type === 'password' && <Reveal isShown={isShown} onToggle={() => setShown(!isShown)} />}
    </span>
  )
}

/** Addresses and passwords read from the left in every language. */
const isWritten = (type: string | undefined) => type === undefined || type === 'text' || type === 'search'

function Reveal({ isShown, onToggle }: { readonly isShown: boolean; onToggle(): void }) {
  const { common } = useTexts()
  return (
    <button
      type="button"
      onClick={onToggle}
      aria-label={isShown ? common.hidePassword : common.showPassword}
      className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-md text-ink-soft hover:text-ink"
    >
      <Icon name={isShown ? 'eye-off' : 'eye'} />
    </button>
  )
}
