import { useEffect, useState } from 'react'

/** Whole seconds until a moment that `start` sets; 0 when it has passed. */
export function useCountdown() {
  const [end, setEnd] = useState(0)
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((end - now) / 1000))

  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setNow(Date.now()), 250)
    return () => clearTimeout(timer)
  })

  const start = (seconds: number) => {
    setNow(Date.now())
    setEnd(Date.now() + seconds * 1000)
  }
  return { left, start }
}
