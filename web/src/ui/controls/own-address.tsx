import { useSession } from '../../server/session.ts'

/** Whose password a form asks for: a password manager saves it under this name. */
export function OwnAddress() {
  const { data } = useSession()
  return <input type="text" autoComplete="username" value={data?.user.email ?? ''} readOnly hidden />
}
