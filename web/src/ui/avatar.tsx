interface Props {
  readonly name: string
  readonly image: string | null
  readonly className?: string
}

export function Avatar({ name, image, className = 'size-9 text-[0.867rem]' }: Props) {
  const frame = `shrink-0 rounded-full ${className}`
  if (image)
    return (
      <img src={image} alt="" referrerPolicy="no-referrer" className={`${frame} bg-sunken object-cover`} />
    )
  return (
    <span
      aria-hidden="true"
      className={`grid place-items-center bg-accent-soft font-semibold text-accent ${frame}`}
    >
      {name.trim().charAt(0).toUpperCase()}
    </span>
  )
}
