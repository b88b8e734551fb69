interface Props {
  readonly title: string
  /** Chooses the letter and the language, and carries what is typed and not saved yet. */
  readonly query: string
}

/** A letter as its reader would get it. */
export function Letter({ title, query }: Props) {
  return (
    <iframe
      title={title}
      src={`/api/admin/preview_letter?${query}`}
      sandbox=""
      className="h-112 w-full rounded-lg border border-line"
    />
  )
}
