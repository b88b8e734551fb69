import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { labelClass, Problem } from './field.tsx'

const length = 6
const places = Array.from({ length }, (_, index) => index)

interface Props {
  readonly name?: string
  readonly label: string
  readonly value: string
  readonly problem?: string | undefined
  onChange(code: string): void
  /** The last digit was entered. */
  onComplete?(): void
}

/** Six boxes for six digits: typing moves on, a paste fills them all. */
export function CodeInput({ label, value, problem, onChange, onComplete }: Props) {
  const { verify } = useTexts()
  const problemId = useId()
  const digits = places.map((place) => value[place]?.trim() ?? '')

  const { boxes, focus } = useBoxes(value, onComplete)

  const write = (place: number, typed: string) => {
    const fresh = typed.replaceAll(/\D/g, '')
    const after = places.map((at) => fresh[at - place] ?? digits[at]).map((digit) => digit || ' ')
    onChange((fresh ? after : after.with(place, ' ')).join('').trimEnd())
    focus(place + fresh.length)
  }

  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    write(0, event.clipboardData.getData('text').replaceAll(/\D/g, '').slice(0, length))
  }

  const move = (event: KeyboardEvent, place: number) => {
    if (event.key === 'ArrowLeft') focus(place - 1)
    else if (event.key === 'ArrowRight') focus(place + 1)
    else if (event.key === 'Backspace' && !digits[place]) focus(place - 1)
  }

  return (
    <fieldset className="gh-field flex flex-col gap-1.5" onPaste={paste}>
      <legend className={`mb-1.5 ${labelClass}`}>{label}</legend>
      <div className="grid grid-cols-6 gap-2 sm:gap-2.5">
        {places.map((place) => (
          <input
            key={place}
            ref={(box) => {
              boxes.current[place] = box
            }}
            aria-label={verify.digit(place + 1)}
            aria-invalid={problem !== undefined}
            aria-describedby={problem ? problemId : undefined}
            inputMode="numeric"
            autoComplete={place === 0 ? 'one-time-code' : 'off'}
            value={digits[place]}
            onChange={({ target }) => write(place, newlyTyped(target.value, digits[place]))}
            onKeyDown={(event) => move(event, place)}
            onFocus={({ target }) => target.select()}
            className="gh-input tabular h-13 w-full rounded-md border border-line-strong bg-raised text-center font-semibold text-front shadow-card transition-colors hover:border-ink-soft/60 focus:border-accent focus:outline-2 focus:outline-accent/25 focus:outline-offset-0 aria-invalid:border-danger"
          />
        ))}
      </div>
      <Problem id={problemId}>{problem}</Problem>
    </fieldset>
  )
}

const isWhole = (code: string) => /^\d{6}$/.test(code)

/** The focus moves from box to box; after a code was refused and cleared, it is back at the first. */
function useBoxes(value: string, onComplete: (() => void) | undefined) {
  const boxes = useRef<(HTMLInputElement | null)[]>([])
  const before = useRef(value)
  useEffect(() => {
    const former = before.current
    before.current = value
    if (former.length === length && value === '') boxes.current[0]?.focus()
    if (former !== value && isWhole(value)) onComplete?.()
  }, [value, onComplete])
  const focus = (place: number) => boxes.current[Math.max(0, Math.min(place, length - 1))]?.focus()
  return { boxes, focus }
}

/** A box that already has a digit receives it again together with the new one. */
function newlyTyped(value: string, before = ''): string {
  return value.length === 2 && before ? value.replace(before, '') || before : value
}
