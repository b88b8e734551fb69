import { pageSizes } from '../../routing/filters.ts'
import { useNumber } from '../../texts/numbers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'

interface Props {
  readonly page: number
  readonly pageSize: number
  readonly total: number
  /** True if the total says whether there is another page, and not how many rows. */
  readonly isTotalOpen?: boolean
  onChange(page: number): void
  onSize?(size: string): void
}

export function Pager({ page, pageSize, total, isTotalOpen = false, onChange, onSize }: Props) {
  const { common } = useTexts()
  const number = useNumber()
  if (total <= Math.min(pageSize, pageSizes[0]) && page === 1) return null

  const from = Math.min((page - 1) * pageSize + 1, total)
  const to = Math.min(page * pageSize, total)
  const all = isTotalOpen && total > to ? `${number(to)}+` : number(total)
  return (
    <nav
      aria-label={common.pages}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-small text-ink-soft"
    >
      <span className="tabular">{common.range(number(from), number(to), all)}</span>
      <span className="flex flex-wrap items-center gap-2">
        {onSize && <SizeSelect pageSize={pageSize} onSize={onSize} />}
        <Button size="small" isDisabled={page === 1} onPress={() => onChange(page - 1)}>
          <Icon name="chevron-left" className="size-4" /> {common.previous}
        </Button>
        <Button size="small" isDisabled={to >= total} onPress={() => onChange(page + 1)}>
          {common.next} <Icon name="chevron-right" className="size-4" />
        </Button>
      </span>
    </nav>
  )
}

function SizeSelect({ pageSize, onSize }: { readonly pageSize: number; onSize(size: string): void }) {
  const { lists } = useTexts()
  return (
    <select
      aria-label={lists.pageSize}
      value={String(pageSize)}
      onChange={({ target }) => onSize(target.value)}
      className="touch h-8 rounded-md border border-line-strong bg-raised px-2 text-ink shadow-card"
    >
      {pageSizes.map((size) => (
        <option key={size} value={size}>
          {lists.perPage(size)}
        </option>
      ))}
    </select>
  )
}
