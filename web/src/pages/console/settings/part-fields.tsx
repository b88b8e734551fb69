import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import type { Texts } from '../../../texts/en.ts'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { keep, type SecretChange, SecretField } from './secret-field.tsx'

type Words = Texts['config']

export interface ControlProps<Typed> {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly value: Typed
  readonly problem?: string | undefined
  /** The stored fields of the whole part. */
  readonly document: Readonly<Record<string, unknown>>
  onChange(value: Typed): void
}

/** Says how a field of the settings is typed, sent and drawn. */
export interface Kind<Stored, Typed, Sent> {
  initialOf(stored: Stored): Typed
  /** The schema, with its message for a wrong value. */
  schemaOf(problem: string): z.ZodMiniType<Sent, Typed>
  /** Secrets and files are not kept in a draft. */
  readonly isSecret?: boolean
  draw(props: ControlProps<Typed>, words: Words): ReactNode
}

const asStored = <Value,>(stored: Value): Value => stored

export const toggle: Kind<boolean, boolean, boolean> = {
  initialOf: asStored,
  schemaOf: () => z.boolean(),
  draw: (props) => <Switch {...props} />,
}

export const text: Kind<string, string, string> = {
  initialOf: asStored,
  schemaOf: () => z.string().check(z.trim()),
  draw: (props) => <TextField {...props} />,
}

export const url: typeof text = {
  ...text,
  draw: (props) => <TextField {...props} type="url" placeholder="https://" />,
}

/** A secret is kept until something else is chosen. */
export const secret: Kind<undefined, SecretChange, SecretChange> = {
  initialOf: () => keep,
  schemaOf: () => z.custom<SecretChange>(),
  isSecret: true,
  draw: ({ document, ...props }) => (
    <SecretField {...props} isConfigured={document[`${props.name}_configured`] === true} />
  ),
}

/** Entries of a list, one per line. */
export const lines = (example: string): Kind<readonly string[], string, string[]> => ({
  initialOf: (entries) => entries.join('\n'),
  schemaOf: () =>
    z.pipe(
      z.string(),
      z.transform((typed: string) => typed.split(/[\s,]+/).filter((line) => line !== '')),
    ),
  draw: (props) => <TextField {...props} placeholder={example} rows={3} mono />,
})

export const wholeNumber = (most: number): Kind<number, string, number> => ({
  initialOf: String,
  schemaOf: (problem) =>
    z.pipe(
      z.string().check(
        z.trim(),
        z.refine((typed) => /^\d{1,10}$/.test(typed) && Number(typed) <= most, problem),
      ),
      z.transform(Number),
    ),
  draw: (props) => <TextField {...props} inputMode="numeric" />,
})

/** Offers these values, each with its words. */
export const choice = <const Value extends string>(
  values: readonly Value[],
  optionsOf: (words: Words) => Readonly<Record<Value, string>>,
): Kind<Value, Value, Value> => ({
  initialOf: asStored,
  schemaOf: () => z.enum(values),
  draw: (props, words) => <Select {...props} options={optionsOf(words)} />,
})
