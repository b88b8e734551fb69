import type { ComponentProps } from 'react'
import type { Part } from '../queries.ts'
import { PartCard } from './part-card.tsx'
import { type FieldsOf, type PartOptions, usePart } from './use-part.tsx'

type Words = Pick<ComponentProps<typeof PartCard>, 'title' | 'lead' | 'save'>

/** A card with the fields of a part, one below the other. */
export function PartForm<P extends Part, F extends FieldsOf<P>>({
  title,
  lead,
  save,
  ...options
}: PartOptions<P, F> & Words) {
  const part = usePart(options)
  return <PartCard {...{ title, lead, save, part }}>{part.controls}</PartCard>
}
