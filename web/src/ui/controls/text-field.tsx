import { type ReactNode, useState } from 'react'
import {
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components/TextField'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'

export const labelClass = 'text-[0.867rem] font-medium text-ink'
export const hintClass = 'text-[0.867rem] text-ink-soft'
export const controlClass =
  'w-full rounded-md border border-line-strong bg-raised px-3 text-ink placeholder:text-ink-soft/70 shadow-card transition-colors data-[hovered]:border-ink-soft/60 data-[focused]:border-accent data-[focused]:outline-2 data-[focused]:outline-accent/25 data-[focused]:outline-offset-0 data-[invalid]:border-danger data-[invalid]:outline-danger/25 data-[disabled]:bg-sunken data-[disabled]:text-ink-soft'

interface Props extends Omit<TextFieldProps, 'className' | 'children' | 'isInvalid'> {
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong with the value; shown below the field. */
  readonly problem?: string | undefined
  readonly placeholder?: string
  readonly rows?: number
  readonly corner?: ReactNode
  readonly mono?: boolean
}

export function TextField({
  label,
  hint,
  problem,
  placeholder = '',
  rows,
  corner,
  mono,
  type,
  ...props
}: Props) {
  const [isShown, setShown] = useState(false)
  const inputClass = `${controlClass} ${mono ? 'font-mono' : ''}`
  return (
    <AriaTextField
      {...props}
      type={type === 'password' && isShown ? 'text' : (type ?? 'text')}
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      className="flex flex-col gap-1.5"
    >
      <span className="flex items-baseline justify-between gap-4">
        <Label className={labelClass}>{label}</Label>
        {corner}
      </span>
      {rows ? (
        <TextArea
          rows={rows}
          dir="auto"
          placeholder={placeholder}
          className={`${inputClass} py-2.5 leading-relaxed resize-y`}
        />
      ) : (
        <span className="relative block">
          <Input
            {...(isWritten(type) && { dir: 'auto' })}
            placeholder={placeholder}
            className={`${inputClass} h-10 ${type === 'password' ? 'pr-10' : ''}`}
          />
          {type === 'password' && <Reveal isShown={isShown} onToggle={() => setShown(!isShown)} />}
        </span>
      )}
      {hint && (
        <Text slot="description" className={hintClass}>
          {hint}
        </Text>
      )}
      <FieldError className="text-[0.867rem] text-danger">{problem}</FieldError>
    </AriaTextField>
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
