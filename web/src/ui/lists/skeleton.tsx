import { useTexts } from '../../texts/texts.tsx'

const widths = ['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5', 'w-3/4']

/** A placeholder for rows, so that the page does not jump. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  const { common } = useTexts()
  return (
    <div data-placeholder role="status" aria-label={common.loading} className="divide-y divide-line">
      {widths.slice(0, rows).map((width) => (
        <div key={width} className="flex animate-pulse flex-col gap-2.5 py-4">
          <span className={`h-3.5 rounded-full bg-sunken ${width}`} />
          <span className="h-3 w-1/4 rounded-full bg-sunken" />
        </div>
      ))}
    </div>
  )
}
