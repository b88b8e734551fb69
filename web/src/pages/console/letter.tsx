interface Props {
  readonly title: string
  /** Which letter, in which language, with what is typed and not saved yet. */
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
