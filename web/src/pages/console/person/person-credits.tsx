import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { call } from '../../../server/api.ts'
import { useNumber } from '../../../texts/numbers.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { latestCreditsQuery, type Person, refreshesOf } from './queries.ts'

/** The balance, what changed it last, and a way to add to it. */
export function PersonCredits({ user }: { readonly user: Person }) {
  const { person, home } = useTexts()
  const number = useNumber()
  const signed = useNumber({ signDisplay: 'exceptZero' })
  const { id, balance } = user
  const query = useQuery(latestCreditsQuery(id))
  return (
    <Card
      title={home.credits}
      lead={balance === null ? person.balanceUnknown : person.balance(number(balance))}
      action={<GiveCredits user={user} />}
    >
      <Loaded query={query}>
        {({ items }) => (
          <Rows items={items} none={person.creditsNone} keyOf={(entry) => entry.id} className="flex gap-4 py-2">
            {({ amount, source_type, created_at }) => (
              <>
                <span className="tabular w-24 shrink-0 font-medium">{signed(amount)}</span>
                <span className="min-w-0 grow text-ink-soft">
                  <PersonText>{wordOf(person.sources, source_type)}</PersonText>
                </span>
                <Time at={created_at} />
              </>
            )}
          </Rows>
        )}
      </Loaded>
    </Card>
  )
}

const largestGift = 1_000_000_000

function GiveCredits({ user: { id, email } }: { readonly user: Person }) {
  const texts = useTexts()
  const { person } = texts
  const amount = z.string().check(
    z.trim(),
    z.refine((typed) => /^\d{1,10}$/.test(typed) && isGift(Number(typed)), person.amountProblem),
  )
  return (
    <FormAct
      size="small"
      look="quiet"
      label={person.give}
      asks="credits"
      title={person.giveTitle(email)}
      text={person.giveText}
      action={person.give}
      schema={z.object({ amount, note: fieldsOf(texts).optional, key: z.string() })}
      initial={{ amount: '', note: '', key: '' }}
      draft={`credits:${id}`}
      act={({ key, note, ...sent }) =>
        call(
          '/api/admin/give_credits',
          { id, amount: Number(sent.amount), ...(note && { note }) },
          { 'idempotency-key': key },
        )
      }
      done={person.given}
      refreshes={refreshesOf(id)}
    >
      {(form) => (
        <>
          <TextField
            {...form.field('amount')}
            label={person.amount}
            inputMode="numeric"
            onChange={(typed) => form.set({ amount: typed, key: newKey() })}
            autoFocus
          />
          <TextField
            {...form.field('note')}
            label={person.note}
            maxLength={500}
            onChange={(typed) => form.set({ note: typed, key: newKey() })}
          />
        </>
      )}
    </FormAct>
  )
}

const isGift = (credits: number) => credits > 0 && credits <= largestGift

/** One per gift, so that a repeated attempt after a lost response does not give it twice. */
const newKey = () => crypto.randomUUID()
