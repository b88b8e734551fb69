import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time, useDate } from '../../../ui/facts/time.tsx'
import { actColumn, timeColumn } from '../../../ui/lists/columns.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import type { DeliveryRow } from '../rows.ts'
import { failureWords } from './failure-words.ts'
import { TEST, useAgain } from './send-again.tsx'

const LOOKS = { delivered: 'accent', pending: 'plain', failed: 'warning' } as const

interface Sending {
  /** False while the endpoint is off: waiting deliveries are then not attempted. */
  readonly isOn: boolean
  onSent(): void
}

export function useColumns({ isOn, onSent }: Sending): readonly Column<DeliveryRow>[] {
  const { webhooks, common } = useTexts()
  return [
    {
      key: 'type',
      title: webhooks.type,
      cell: ({ type, body }) => (
        <details>
          <summary>{wordOf(webhooks.events, type)}</summary>
          <code className="wrap-anywhere text-tiny">{body ?? webhooks.notKept}</code>
        </details>
      ),
    },
    {
      key: 'state',
      title: common.status,
      width: 'w-32',
      isPlain: true,
      cell: (delivery) => <State delivery={delivery} isOn={isOn} />,
    },
    {
      key: 'answer',
      title: webhooks.answer,
      leaves: 4,
      isPlain: true,
      cell: (delivery) => delivery.last_attempt_at !== null && <Answered delivery={delivery} />,
    },
    { key: 'tries', title: webhooks.tries, width: 'w-24', leaves: 1, cell: ({ tries }) => tries },
    timeColumn('when', common.when, ({ created_at }) => created_at),
    actColumn(
      common.actions,
      'w-32',
      (delivery) => delivery.type !== TEST && <Again delivery={delivery} onSent={onSent} />,
    ),
  ]
}

interface CellProps {
  readonly delivery: DeliveryRow
}

function State({ delivery: { status, next_attempt_at }, isOn }: CellProps & Pick<Sending, 'isOn'>) {
  const { webhooks } = useTexts()
  const isLater = isOn && next_attempt_at !== null && next_attempt_at > Date.now()
  return (
    <>
      <Badge look={LOOKS[status]}>{webhooks.states[status]}</Badge>
      {isLater && (
        <span className="block text-small text-ink-soft">
          {webhooks.nextAttempt} <Time at={next_attempt_at} />
        </span>
      )}
    </>
  )
}

function Again({ delivery: { id, type, created_at }, onSent }: CellProps & Pick<Sending, 'onSent'>) {
  const { webhooks } = useTexts()
  const date = useDate()
  const again = useAgain(onSent)
  return (
    <Button
      size="small"
      look="quiet"
      aria-label={`${webhooks.sendAgain}: ${wordOf(webhooks.events, type)}, ${date(created_at)}`}
      isPending={again.isPending}
      onPress={() => again.mutate({ id })}
    >
      {webhooks.sendAgain}
    </Button>
  )
}

const SHORT = 100

/** A response can be a whole page. */
function Answered({ delivery }: CellProps) {
  const { webhooks } = useTexts()
  const { answer_code, answer, last_attempt_at } = delivery
  const words = failureWords(webhooks, delivery) ?? answer_code
  return (
    <div className="wrap-anywhere">
      {words} {answer && <Answer text={answer} />}
      {last_attempt_at !== null && (
        <span className="block text-small text-ink-soft">
          {webhooks.lastAttempt} <Time at={last_attempt_at} />
        </span>
      )}
    </div>
  )
}

function Answer({ text }: { readonly text: string }) {
  if (text.length <= SHORT) return <PersonText>{text}</PersonText>
  return (
    <details>
      <summary>
        <bdi>{text.slice(0, SHORT)}</bdi>…
      </summary>
      <code dir="auto" className="block whitespace-pre-wrap text-tiny">
        {text}
      </code>
    </details>
  )
}
