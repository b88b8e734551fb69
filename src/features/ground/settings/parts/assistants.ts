import { z } from 'zod'
import { partFields, plain } from './fields.ts'
import { settingsPart } from './part.ts'

export const assistantsFields = partFields({
  /** A client can be known by the address of a document about it. */
  client_documents: plain(z.boolean().default(true)),
  /** A client can register itself. */
  registration: plain(z.boolean().default(false)),
})

export const assistants = settingsPart('assistants', assistantsFields, {})
