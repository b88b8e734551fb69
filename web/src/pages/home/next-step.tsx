import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from '../../routing/router.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Button, buttonClass } from '../../ui/controls/button.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import { useFirstHour } from '../console/overview/first-hour-steps.ts'
import { overviewQuery } from '../console/queries.ts'
import { hideStep, isStepHidden } from './hidden-step.ts'

/** Leads the administrator of a new installation to the next step of the first hour, unless this was hidden here. */
export function NextStep() {
  const [isHidden, setHidden] = useState(isStepHidden)
  if (isHidden) return null
  const hide = () => {
    hideStep()
    setHidden(true)
  }
  return <ShownStep onHide={hide} />
}

function ShownStep({ onHide }: { onHide(): void }) {
  const { firstHour } = useTexts()
  const { data: overview } = useQuery(overviewQuery)
  const { steps } = useFirstHour(overview?.users ?? 0)
  // The initial password has a warning of its own.
  const next = steps?.find(({ isDone, to }) => !isDone && to !== '/settings/security#password')
  if (!overview || !steps || !next) return null
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Notice
      look="info"
      title={firstHour.next(next.name)}
      action={
        <span className="flex flex-wrap items-center gap-2">
          <Link to={next.to} className={buttonClass({ size: 'small' })}>
            {firstHour.go}
          </Link>
          <Button size="small" look="plain" onPress={onHide}>
            {firstHour.hide}
          </Button>
        </span>
      }
    >
      {next.text} <TextLink to="/console">{firstHour.all(done, steps.length)}</TextLink>
    </Notice>
  )
}
