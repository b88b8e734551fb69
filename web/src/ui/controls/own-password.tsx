import type { ComponentProps } from 'react'
import { useSession } from '../../server/session.ts'
import { TextField } from './text-field.tsx'

type Props = Pick<ComponentProps<typeof TextField>, 'label' | 'value' | 'problem' | 'autoFocus' | 'onChange'>

/** Asks for one's password. A password manager finds it under the address. */
export function OwnPassword(field: Props) {
  const { data } = useSession()
  return (
    <>
      <input type="text" autoComplete="username" value={data?.user.email ?? ''} readOnly hidden />
      <TextField {...field} type="password" autoComplete="current-password" />
    </>
  )
}
