import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { isAdministrative } from '../../scope-tiers.ts'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Checkboxes } from '../../ui/controls/checkboxes.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
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
  const { create, form } = useNewToken()
  const { data: signedIn } = useSession()
  const canAdminister = signedIn?.user.role === 'administrator'
  const offered = Object.entries({ ...known, ...productScopes }).filter(
    ([scope]) => scope.includes(':') && (canAdminister || !isAdministrative(scope)),
  )
  const { value: chosen, problem: scopesProblem } = form.field('scopes')
  return (
    <form {...form.props} className="mt-6 flex max-w-xl flex-col gap-5">
      {create.data && (
        <div ref={intoView} className="scroll-my-20">
          <Notice look="warning" title={tokens.shownOnce}>
            <span className="flex flex-wrap items-center gap-2">
              <code className="break-all">{create.data.token}</code>
              <CopyButton text={create.data.token} />
            </span>
          </Notice>
        </div>
      )}
      <TextField {...form.field('name')} label={tokens.name} hint={tokens.nameHint} />
      <Select
        label={tokens.lifetime}
        value={form.values.lifetime}
        options={tokens.lifetimes}
        onChange={(lifetime) => form.set({ lifetime })}
      />
      <Checkboxes
        legend={tokens.scopes}
        options={offered}
        value={chosen}
        problem={scopesProblem}
        onChange={(scopes) => form.set({ scopes })}
      />
      <Failure error={form.failure} />
      <div>
        <Button type="submit" look="primary" isPending={create.isPending}>
          {tokens.create}
        </Button>
      </div>
    </form>
  )
}

function useNewToken() {
  const texts = useTexts()
  const create = useAct({
    act: ({ name, scopes, lifetime }: { name: string; scopes: string[]; lifetime: string }) =>
      call('/api/create_personal_token', { name, scopes, expires_in_days: Number(lifetime) }),
    refreshes: [personalTokensQuery.queryKey],
  })
  const initial: { name: string; scopes: string[]; lifetime: (typeof lifetimes)[number] } = {
    name: '',
    scopes: [],
    lifetime: '90',
  }
  const form = useForm({
    schema: z.object({
      name: fieldsOf(texts).required,
      scopes: z.array(z.string()).check(z.minLength(1, texts.tokens.scopesMissing)),
      lifetime: z.enum(lifetimes),
    }),
    initial,
    error: create.error,
    invalid: { scopes: texts.tokens.scopesProblem },
    draft: 'token',
    onSend: (values) => create.mutate(values, { onSuccess: () => form.clear() }),
  })
  return { create, form }
}
