import { z } from 'zod'
import { partFields, plain } from './fields.ts'
import { settingsPart } from './part.ts'

export const assistantsFields = partFields({
  /** Lets a client be known by the address of a document about it. */
  client_documents: plain(z.boolean().default(true)),
  /** Lets a client register itself. */
  registration: plain(z.boolean().default(false)),
})

export const assistants = settingsPart('assistants', assistantsFields, {})
