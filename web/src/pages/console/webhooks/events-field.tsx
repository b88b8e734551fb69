import { useState } from 'react'
import * as z from 'zod/mini'
import type { Input } from '../../../server/api.ts'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Checkboxes } from '../../../ui/controls/checkboxes.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { TEST } from './send-again.tsx'

type EventType = NonNullable<Input<'/api/admin/create_webhook'>['types']>[number]

/** Null: all of them. */
type Chosen = EventType[] | null

interface Props {
  readonly value: Chosen
  readonly problem: string | undefined
  readonly onChange: (value: Chosen) => void
}

/** Every event, or the types that are chosen. */
export function EventsField({ value, problem, onChange }: Props) {
  const { webhooks } = useTexts()
  const [lastChosen, setLastChosen] = useState<EventType[]>([])
  const choose = (which: 'all' | 'some') => {
    setLastChosen(value ?? [])
    onChange(which === 'all' ? null : lastChosen)
  }
  return (
    <div className="flex w-full flex-col gap-4">
      <Segments
        label={webhooks.types}
        value={value === null ? 'all' : 'some'}
        options={{ all: webhooks.allTypes, some: webhooks.someTypes }}
        onChange={choose}
      />
      {value && (
        <Checkboxes
          legend={webhooks.types}
          options={optionsOf(webhooks.events)}
          value={value}
          problem={problem}
          onChange={onChange}
        />
      )}
    </div>
  )
}

type Events = Texts['webhooks']['events']

const optionsOf = (events: Events) =>
  Object.keys(events)
    .filter((type) => isEventType(type, events))
    .map((type) => [type, events[type]] as const)

function isEventType(type: string, events: Events): type is EventType {
  return type in events && type !== TEST
}

export const chosenEvents = (words: Texts['webhooks']) =>
  z.nullable(
    z
      .array(z.custom<EventType>((type) => typeof type === 'string' && isEventType(type, words.events)))
      .check(z.minLength(1, words.typesMissing)),
  )

/** The service's form: an empty list stands for all. */
export const chosenOf = (types: readonly string[], { events }: Texts['webhooks']): Chosen =>
  types.length === 0 ? null : types.filter((type) => isEventType(type, events))
