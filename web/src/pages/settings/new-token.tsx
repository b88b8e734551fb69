import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { isAdministrative } from '../../scope-tiers.ts'
import { call } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Checkboxes } from '../../ui/controls/checkboxes.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Form } from '../../ui/form.tsx'
import { intoView } from '../../ui/messages/into-view.ts'
import { Notice } from '../../ui/messages/notice.tsx'
import { personalTokensQuery } from './queries.ts'

const lifetimes = ['7', '30', '90', '365'] as const

interface Props {
  /** Their descriptions, by their names. */
  readonly productScopes: Readonly<Record<string, string>>
}

export function NewToken({ productScopes }: Props) {
  const texts = useTexts()
  const { tokens, scopes: known } = texts
  const form = useNewToken()
  const { data: signedIn } = useSession()
  const canAdminister = signedIn?.user.role === 'administrator'
  const offered = Object.entries({ ...known, ...productScopes }).filter(
    ([scope]) => scope.includes(':') && (canAdminister || !isAdministrative(scope)),
  )
  return (
    <Form form={form} className="mt-6 max-w-xl gap-5" place="start" submit={tokens.create}>
      {form.got && (
        <div ref={intoView} className="scroll-my-4">
          <Notice look="warning" title={tokens.shownOnce}>
            <span className="flex flex-wrap items-center gap-2">
              <code className="break-all">{form.got.token}</code>
              <CopyButton text={form.got.token} />
            </span>
          </Notice>
        </div>
      )}
      <TextField {...form.field('name')} label={tokens.name} hint={tokens.nameHint} />
      <Select {...form.field('lifetime')} label={tokens.lifetime} options={tokens.lifetimes} />
      <Checkboxes {...form.field('scopes')} legend={tokens.scopes} options={offered} />
    </Form>
  )
}

function useNewToken() {
  const texts = useTexts()
  const initial: { name: string; scopes: string[]; lifetime: (typeof lifetimes)[number] } = {
    name: '',
    scopes: [],
    lifetime: '90',
  }
  return useForm({
    schema: z.object({
      name: fieldsOf(texts).required,
      scopes: z.array(z.string()).check(z.minLength(1, texts.tokens.scopesMissing)),
      lifetime: z.enum(lifetimes),
    }),
    initial,
    invalid: { scopes: texts.tokens.scopesProblem },
    draft: 'token',
    clears: true,
    act: ({ name, scopes, lifetime }) =>
      call('/api/create_personal_token', { name, scopes, expires_in_days: Number(lifetime) }),
    refreshes: [personalTokensQuery.queryKey],
  })
}
