import { findCaller } from 'gatehouse/next'
import { headers } from 'next/headers'
import { verifier } from '../lib/verifier'
import { News } from './news'

export default async function Page() {
  const caller = await findCaller(verifier, await headers())
  const back = process.env.APP_URL ?? 'http://localhost:8080/'
  if (!caller) return <a href={verifier.signInUrl(back)}>Sign in to begin</a>
  return (
    <>
      <h1>Hello, {caller.name}</h1>
      <News />
    </>
  )
}
