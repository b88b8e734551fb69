import { Link } from '../../../routing/router.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { type Step, useFirstHour } from './first-hour-steps.ts'

/** The steps that a new installation still needs; hidden once everything is done. */
export function FirstHour({ users, isFolded }: { readonly users: number; readonly isFolded: boolean }) {
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
  const next = steps.find(({ isDone }) => !isDone)
  const list = <Steps steps={steps} />
  if (!isFolded) {
    return (
      <Card title={firstHour.title} lead={firstHour.lead(done, steps.length)}>
        {list}
      </Card>
    )
  }
  return (
    <details className="rounded-lg border border-line bg-surface px-5 shadow-card open:pb-5">
      <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 py-2">
        <span className="font-medium">{firstHour.title}</span>
        <progress
          aria-label={firstHour.lead(done, steps.length)}
          value={done}
          max={steps.length}
          className="h-1.5 w-24 accent-accent"
        />
        <span className="text-small text-ink-soft">
          {firstHour.lead(done, steps.length)}
          {next && ` · ${firstHour.next(next.name)}`}
        </span>
      </summary>
      {list}
    </details>
  )
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const { firstHour } = useTexts()
  return (
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
  )
}
