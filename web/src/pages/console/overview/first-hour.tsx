import { Link } from '../../../routing/router.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { useFirstHour } from './first-hour-steps.ts'

/** The steps that a new installation still needs; hidden once everything is done. */
export function FirstHour({ users }: { readonly users: number }) {
  const { firstHour } = useTexts()
  const { steps, failed } = useFirstHour(users)
  if (failed) {
    return (
      <Card title={firstHour.title}>
        <LoadFailure query={failed} />
      </Card>
    )
  }
  const done = steps?.filter(({ isDone }) => isDone).length ?? 0
  if (!steps || done === steps.length) return null
  return (
    <Card title={firstHour.title} lead={firstHour.lead(done, steps.length)}>
      <ol className="grid gap-2 sm:grid-cols-2">
        {steps.map((step) => (
          <li key={step.name} className="flex items-start gap-3 rounded-md border border-line p-3">
            <span
              className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-full border ${step.isDone ? 'border-accent bg-accent text-on-accent' : 'border-line-strong'}`}
            >
              {step.isDone && <Icon name="check" className="size-3.5" />}
            </span>
            <span className="min-w-0">
              <Link
                to={step.to}
                className={`font-medium underline-offset-4 hover:underline ${step.isDone ? 'text-ink-soft' : ''}`}
              >
                {step.name}
              </Link>
              {step.isDone && <span className="sr-only"> ({firstHour.done})</span>}
              <span className="block text-small text-ink-soft">{step.text}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
