import { findCaller } from 'gatehouse/next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { verifier } from '../lib/verifier'

export default async function Page() {
  const caller = await findCaller(verifier, await headers())
  if (!caller) redirect(verifier.signInUrl(process.env.APP_URL ?? 'http://localhost:3000/'))
  return <h1>Hello, {caller.name}</h1>
}
