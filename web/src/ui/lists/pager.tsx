import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'

interface Props {
  readonly page: number
  readonly pageSize: number
  readonly total: number
  onChange(page: number): void
}

export function Pager({ page, pageSize, total, onChange }: Props) {
  const { common } = useTexts()
  if (total <= pageSize && page === 1) return null

  const from = Math.min((page - 1) * pageSize + 1, total)
  const to = Math.min(page * pageSize, total)
  return (
    <nav
      aria-label={common.pages}
      className="flex items-center justify-between gap-4 text-[0.867rem] text-ink-soft"
    >
      <span className="tabular">{common.range(from, to, total)}</span>
      <span className="flex gap-2">
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
