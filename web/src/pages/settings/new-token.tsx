import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { isAdministrative, may } from '../../scope-tiers.ts'
import { call } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { ScopeChoice } from '../../ui/controls/scope-choice.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Form } from '../../ui/form.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { intoView } from '../../ui/messages/into-view.ts'
import { Notice } from '../../ui/messages/notice.tsx'
import { ActsInField } from '../access/acts-in-field.tsx'
import { membershipsQuery } from './organizations/queries.ts'
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
  const mine = useQuery(membershipsQuery)
  const organizations = mine.data?.filter(({ suspended }) => !suspended) ?? []
  const offered = Object.entries({ ...known, ...productScopes }).filter(
    ([scope]) => scope.includes(':') && (signedIn ? may(signedIn.user, scope) : !isAdministrative(scope)),
  )
  // Whole at once: a field that came later would move those below it.
  if (mine.isPending) return null
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
      <TextField {...form.field('name')} label={tokens.name} hint={tokens.nameHint} autoFocus />
      <Select {...form.field('lifetime')} label={tokens.lifetime} options={tokens.lifetimes} />
      {mine.error && <LoadFailure query={mine} />}
      {organizations.length > 0 && <ActsInField {...form.field('organization')} organizations={organizations} />}
      <ScopeChoice {...form.field('scopes')} legend={tokens.scopes} options={offered} />
    </Form>
  )
}

function useNewToken() {
  const texts = useTexts()
  const initial: { name: string; organization: string; scopes: string[]; lifetime: (typeof lifetimes)[number] } = {
    name: '',
    organization: '',
    scopes: [],
    lifetime: '90',
  }
  return useForm({
    schema: z.object({
      name: fieldsOf(texts).required,
      organization: z.string(),
      scopes: z.array(z.string()).check(z.minLength(1, texts.tokens.scopesMissing)),
      lifetime: z.enum(lifetimes),
    }),
    initial,
    invalid: { scopes: texts.tokens.scopesProblem },
    draft: 'token',
    clears: true,
    act: ({ name, organization, scopes, lifetime }) =>
      call('/api/create_personal_token', {
        ...{ name, scopes, expires_in_days: Number(lifetime) },
        organization_id: organization || null,
      }),
    refreshes: [personalTokensQuery.queryKey],
  })
}
