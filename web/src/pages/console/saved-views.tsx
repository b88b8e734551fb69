import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Link } from '../../routing/router.tsx'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { PersonText } from '../../ui/facts/person-text.tsx'
import { Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { pathOfView, viewsQuery } from './queries.ts'

interface Props {
  readonly list: 'users' | 'audit' | 'feedback'
  readonly view: {
    readonly values: Readonly<Record<string, string | undefined>>
    readonly order: string
  }
}

/** Filters with a name, the same for everybody who works in the console. */
export function SavedViews(props: Props) {
  const { views } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{views.title}</Button>
      {isOpen && (
        <Dialog title={views.title} onClose={close}>
          <p className="text-ink-soft">{views.lead}</p>
          <Known list={props.list} onFollow={close} />
          <Save {...props} />
        </Dialog>
      )}
    </>
  )
}

function Known({ list, onFollow }: { readonly list: Props['list']; onFollow(): void }) {
  const { views } = useTexts()
  const query = useQuery(viewsQuery)
  return (
    <Loaded query={query}>
      {({ items }) => (
        <ul aria-label={views.title} className="divide-y divide-line empty:hidden">
          {items
            .filter((view) => view.list === list)
            .map((view) => (
              <li key={view.id} className="flex items-center justify-between gap-3 py-2">
                <Link
                  to={pathOfView(view)}
                  onClick={onFollow}
                  className="min-w-0 rounded-sm font-medium decoration-line-strong underline-offset-4 hover:underline"
                >
                  <PersonText>{view.name}</PersonText>
                </Link>
                <ConfirmedAct
                  size="small"
                  label={views.remove}
                  name={views.removeNamed(view.name)}
                  title={views.removeTitle(view.name)}
                  text={views.removeText}
                  act={() => call('/api/admin/delete_view', { id: view.id })}
                  done={views.removed}
                  refreshes={[viewsQuery.queryKey]}
                />
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  )
}

function Save({ list, view: { values, order } }: Props) {
  const texts = useTexts()
  const { views } = texts
  const set = Object.entries({ ...values, order }).filter(([, value]) => value)
  const form = useForm({
    schema: z.object({ name: fieldsOf(texts).required }),
    initial: { name: '' },
    draft: `view:${list}`,
    clears: true,
    act: ({ name }) => call('/api/admin/save_view', { list, name, filters: Object.fromEntries(set) }),
    done: views.saved,
    refreshes: [viewsQuery.queryKey],
  })
  if (set.length === 0) return <p className="text-ink-soft text-small">{views.nothingSet}</p>
  return (
    <Form form={form} className="gap-3" submit={views.save}>
      <TextField {...form.field('name')} label={views.name} hint={views.nameHint} maxLength={64} />
    </Form>
  )
}
