import { useState } from 'react'
import { initialOf } from '../../initial.ts'

interface Props {
  readonly name: string
  readonly image: string | null
  readonly className?: string
}

/** The user's picture; without one, or if it cannot be loaded, the initial. */
export function Avatar({ name, image, className = 'size-9 text-small' }: Props) {
  const [broken, setBroken] = useState<string>()
  const frame = `shrink-0 rounded-full ${className}`
  if (image && image !== broken)
    return (
      <img
        src={image}
        alt=""
        referrerPolicy="no-referrer"
        onError={() => setBroken(image)}
        className={`${frame} bg-sunken object-cover`}
      />
    )
  return (
    <span aria-hidden="true" className={`grid place-items-center bg-accent-soft font-semibold text-accent ${frame}`}>
      {initialOf(name)}
    </span>
  )
}
