import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { isAdministrative } from '../../scope-tiers.ts'
import { inOneResponse } from '../../server/all-pages.ts'
import { ApiError, call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ScopeChoice } from '../../ui/controls/scope-choice.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Form } from '../../ui/form.tsx'
import { actColumn, timeColumn } from '../../ui/lists/columns.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import { Page } from '../../ui/page.tsx'
import { consoleKeys, staffQuery } from './queries.ts'

type Member = Output<'/api/admin/list_staff'>['items'][number]
type Scope = Parameters<typeof update>[1][number]
type Preset = keyof typeof PRESETS

const PRESETS = {
  support: /^admin:(?:users|feedback|notifications):/,
  viewer: /:read$/,
  operator: /^config:|^admin:(?:shards|events|applications):/,
  own: /^$/,
}

export function ConsoleStaff() {
  const { staff } = useTexts()
  const [changed, setChanged] = useState<Member>()
  return (
    <Page title={staff.title} lead={staff.lead}>
      <Members onChange={setChanged} />
      <Card title={changed ? staff.changing(changed.email) : staff.add}>
        <Permissions key={changed?.user_id} of={changed} onDone={() => setChanged(undefined)} />
      </Card>
    </Page>
  )
}

function Members({ onChange }: { onChange(member: Member): void }) {
  const { staff, common, people } = useTexts()
  const preset = usePresetOf()
  return (
    <List<Member>
      name="staff"
      label={staff.title}
      query={useQuery(staffQuery)}
      rowKey={({ user_id }) => user_id}
      read={inOneResponse(staffQuery.queryFn)}
      empty={<EmptyState icon="users" title={staff.emptyTitle} text={staff.emptyText} />}
      columns={[
        {
          key: 'member',
          title: staff.member,
          cell: ({ user_id, email }) => <TextLink to={`/console/users/${user_id}`}>{email}</TextLink>,
        },
        { key: 'preset', title: staff.preset, width: 'w-32', cell: ({ scopes }) => staff.presets[preset(scopes)] },
        timeColumn('since', staff.since, ({ since }) => since),
        timeColumn('last', staff.lastAct, ({ last_act_at }) => last_act_at, { never: people.never }),
        actColumn(common.actions, 'w-52', (member) => (
          <span className="flex justify-end gap-2">
            <Button size="small" onPress={() => onChange(member)} aria-label={`${staff.change}: ${member.email}`}>
              {staff.change}
            </Button>
            <ConfirmedAct
              size="small"
              label={staff.remove}
              name={`${staff.remove}: ${member.email}`}
              title={staff.removeTitle(member.email)}
              text={staff.removeText}
              act={() => update(member.user_id, [])}
              done={staff.removed}
              refreshes={[consoleKeys.staff, consoleKeys.users]}
            />
          </span>
        )),
      ]}
    />
  )
}

interface PermissionsProps {
  /** Undefined for somebody new. */
  readonly of: Member | undefined
  onDone(): void
}

function Permissions({ of, onDone }: PermissionsProps) {
  const texts = useTexts()
  const { staff } = texts
  const offered = useOffered()
  const preset = usePresetOf()
  const form = useForm({
    schema: z.object({
      email: of ? z.string() : fieldsOf(texts).email,
      scopes: z.array(z.string()).check(z.minLength(1, staff.none)),
    }),
    initial: { email: '', scopes: [...(of?.scopes ?? [])] },
    invalid: { user_id: staff.emailHint },
    refusals: { NOT_FOUND: ['email', staff.unknown] },
    draft: of ? `staff-${of.user_id}` : 'staff',
    clears: true,
    act: async ({ email, scopes }) => update(of?.user_id ?? (await idOf(email)), scopes as Scope[]),
    done: staff.saved,
    onDone,
    refreshes: [consoleKeys.staff, consoleKeys.users],
  })
  const chosen = preset(form.values.scopes)
  return (
    <Form form={form} className="max-w-3xl gap-5" place="start" submit={of ? staff.save : staff.add}>
      {!of && <TextField {...form.field('email')} type="email" label={staff.email} hint={staff.emailHint} />}
      <Select
        label={staff.preset}
        hint={staff.presetHints[chosen]}
        value={chosen}
        options={staff.presets}
        onChange={(name) => form.set({ scopes: scopesOf(name, offered) })}
      />
      <ScopeChoice {...form.field('scopes')} legend={staff.scopes} options={offered} />
      {of && (
        <span>
          <Button look="quiet" onPress={onDone}>
            {staff.cancel}
          </Button>
        </span>
      )}
    </Form>
  )
}

type Offered = readonly (readonly [scope: string, words: string])[]

function useOffered(): Offered {
  return Object.entries(useTexts().scopes).filter(([scope]) => isAdministrative(scope))
}

const scopesOf = (preset: Preset, offered: Offered) =>
  offered.map(([scope]) => scope).filter((scope) => PRESETS[preset].test(scope))

/** The role that has exactly these permissions. */
function usePresetOf() {
  const offered = useOffered()
  const names = Object.keys(PRESETS).filter((name): name is Preset => name in PRESETS)
  return (scopes: readonly string[]): Preset =>
    names.find((name) => scopesOf(name, offered).toSorted().join() === scopes.toSorted().join()) ?? 'own'
}

const update = (user_id: string, scopes: Parameters<typeof call<'/api/admin/update_staff'>>[1]['scopes']) =>
  call('/api/admin/update_staff', { user_id, scopes })

async function idOf(email: string): Promise<string> {
  const wanted = email.trim().toLowerCase()
  const { items } = await call('/api/admin/list_users', { search: wanted, page_size: 100 })
  const user = items.find((one) => one.email === wanted)
  if (!user) throw new ApiError(404, { code: 'NOT_FOUND' })
  return user.id
}
