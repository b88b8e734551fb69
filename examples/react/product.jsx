import { useNotifications, useSubmitFeedback, useUser } from 'gatehouse/react'
import { useState } from 'react'

export function Product() {
  const { status, user, error, signIn } = useUser()
  if (status === 'loading') return <p>…</p>
  if (status === 'failed') return <p role="alert">{error.code}</p>
  if (status === 'signed-out')
    return (
      <button type="button" onClick={signIn}>
        Sign in to begin
      </button>
    )
  return (
    <>
      <h1>Hello, {user?.name ?? 'you'}</h1>
      <News />
      <Praise />
    </>
  )
}

function News() {
  const { items, unread, markAllRead } = useNotifications()
  return (
    <section aria-label="News">
      <p>{unread} unread</p>
      <ul>
        {items.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      <button type="button" onClick={markAllRead}>
        I have read them
      </button>
    </section>
  )
}

function Praise() {
  const submit = useSubmitFeedback()
  const [words, setWords] = useState('')
  const praise = () =>
    submit({ type: 'praise', content: 'I like it.' }).then(
      () => setWords('Thank you!'),
      (error) => setWords(error.code),
    )
  return (
    <p>
      <button type="button" onClick={praise}>
        I like it
      </button>{' '}
      <span role="status">{words}</span>
    </p>
  )
}
