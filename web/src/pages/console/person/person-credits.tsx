import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { type Person, refreshesOf, timeLineKey } from './queries.ts'
import { signed } from './time-line.tsx'

const shown = 5

/** The balance, what changed it last, and a way to add to it. */
export function PersonCredits({ user }: { readonly user: Person }) {
  const { people, person } = useTexts()
  const { id, balance } = user
  const known: Record<string, string> = person.sources
  const asked = useQuery({
    queryKey: [...timeLineKey(id), 'credits'],
    queryFn: () => call('/api/admin/list_user_credits', { id, page_size: shown }),
  })
  return (
    <Card
      title={people.balance}
      lead={person.balance(balance.toLocaleString())}
      action={<GiveCredits user={user} />}
    >
      <Loaded query={asked}>
        {({ items }) => (
          <>
            {items.length === 0 && <p className="text-ink-soft">{person.creditsNone}</p>}
            <ul className="divide-y divide-line empty:hidden">
              {items.map(({ id: entry, amount, source_type, created_at }) => (
                <li key={entry} className="flex gap-4 py-2 first:pt-0 last:pb-0">
                  <span className="tabular w-24 shrink-0 font-medium">{signed(amount)}</span>
                  <span className="min-w-0 grow text-ink-soft">
                    <PersonText>{known[source_type] ?? source_type}</PersonText>
                  </span>
                  <Time at={created_at} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  )
}

const largestGift = 1_000_000_000

function GiveCredits({ user: { id, email } }: { readonly user: Person }) {
  const { person } = useTexts()
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  // One key for one gift: if the answer is lost, a second attempt gives nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID())
  const credits = /^\d{1,10}$/.test(amount.trim()) ? Number(amount) : 0
  const isAmount = credits > 0 && credits <= largestGift
  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    setKey(crypto.randomUUID())
  }
  return (
    <ConfirmedAct
      size="small"
      look="quiet"
      label={person.give}
      title={person.giveTitle(email)}
      text={person.giveText}
      action={person.give}
      isBlocked={!isAmount}
      act={() =>
        call(
          '/api/admin/give_credits',
          { id, amount: credits, ...(note.trim() && { note }) },
          { 'idempotency-key': key },
        )
      }
      done={person.given}
      onDone={() => {
        change(setAmount)('')
        setNote('')
      }}
      refreshes={refreshesOf(id)}
    >
      <TextField
        label={person.amount}
        inputMode="numeric"
        value={amount}
        onChange={change(setAmount)}
        problem={amount !== '' && !isAmount ? person.amountProblem : undefined}
        autoFocus
      />
      <TextField label={person.note} value={note} onChange={change(setNote)} maxLength={500} />
    </ConfirmedAct>
  )
}
