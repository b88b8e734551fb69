import { Link } from '../routing/router.tsx'
import { useTexts } from '../texts/texts.tsx'
import { buttonClass } from '../ui/controls/button.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { useTitle } from '../ui/page.tsx'

export function Missing() {
  const { missing } = useTexts()
  useTitle(missing.title)
  return (
    <EmptyState
      icon="search"
      heading="h1"
      title={missing.title}
      text={missing.text}
      action={
        <Link to="/" className={buttonClass({ look: 'primary' })}>
          {missing.action}
        </Link>
      }
    />
  )
}
