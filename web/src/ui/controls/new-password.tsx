import type { ComponentProps } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { TextField } from './text-field.tsx'

interface Props extends Pick<ComponentProps<typeof TextField>, 'label' | 'value' | 'problem' | 'onChange'> {
  /** The address that it is for, if the form has no field for that: password managers look for it. */
  readonly of?: string
}

/** The field for choosing a password. */
export function NewPassword({ of, ...field }: Props) {
  const { signUp } = useTexts()
  return (
    <>
      {of !== undefined && <input type="text" autoComplete="username" value={of} readOnly hidden />}
      <TextField {...field} type="password" autoComplete="new-password" hint={signUp.passwordHint} />
    </>
  )
}
