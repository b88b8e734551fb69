'use client'

import { useNotifications } from 'gatehouse/react'

export function News() {
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
