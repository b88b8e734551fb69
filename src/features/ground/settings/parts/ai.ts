import { z } from 'zod'
import { lineOf } from '../../../../rules/names.ts'
import { partFields, plain, secret } from './fields.ts'
import { settingsPart } from './part.ts'

export const aiFields = partFields({
  enabled: plain(z.boolean().default(false)),
  base_url: {
    stored: z.string().default(''),
    sent: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)]),
  },
  model: { stored: z.string().default(''), sent: lineOf(256) },
  api_key: secret,
})

export const ai = settingsPart('ai', aiFields, {
  faults: (_platform, { ai }) => [
    {
      if: ai.enabled && ai.base_url === '',
      path: 'base_url',
      message: 'AI needs an address to be enabled.',
    },
    { if: ai.enabled && ai.model === '', path: 'model', message: 'AI needs a model to be enabled.' },
  ],
})
