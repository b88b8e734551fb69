import { useQuery, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useForm } from '../../forms/form.ts'
import { asText, changeIn, type Edited, editedOf, lineOf, patched } from '../../forms/json-text.ts'
import { ApiError, call, type Output } from '../../server/api.ts'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CodeField } from '../../ui/controls/code-field.tsx'
import { FormCard } from '../../ui/form.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { productDataQuery } from './queries.ts'
import { Conflict } from './settings/part-card.tsx'

interface Props {
  readonly of: 'user' | 'organization'
  readonly id: string
  /** What else shows that it was changed. */
  readonly refreshes: readonly (readonly string[])[]
}

/** What the product keeps about a user or an organisation, to be edited. */
export function ProductData(props: Props) {
  return (
    <Loaded<Stored> query={useQuery(productDataQuery(props.of, props.id))}>
      {(stored) => <Editor {...props} stored={stored} />}
    </Loaded>
  )
}

type Stored = Output<'/api/admin/get_user_data'>
const parts = ['public', 'private', 'own'] as const
type Part = (typeof parts)[number]

const edited = (part: Part, stored: Stored) => editedOf(stored[part], stored.version)

function useEditor({ of, id, refreshes, stored }: EditorProps) {
  const { person, json } = useTexts()
  const queryClient = useQueryClient()
  const { queryKey, queryFn } = productDataQuery(of, id)
  const change = changeIn(json)
  const refused = (path: string, typed: unknown) => json.refused(lineOf((typed as Edited).text, path))
  const form = useForm({
    schema: z.object({ public: change, private: change, own: change }),
    initial: {
      public: edited('public', stored),
      private: edited('private', stored),
      own: edited('own', stored),
    },
    invalid: { public: refused, private: refused, own: refused },
    draft: `data:${id}`,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    act: (sent, changed) => {
      const patches = changed.map((part) => [part, sent[part].patch] as const)
      const expected_version = Math.min(...changed.map((part) => sent[part].version))
      return call(`/api/admin/update_${of}_data` as const, { id, ...Object.fromEntries(patches), expected_version })
    },
    done: person.dataSaved,
    onDone: (saved) => queryClient.setQueryData(queryKey, saved),
    refreshes,
  })
  const isConflict = form.error instanceof ApiError && form.error.code === 'DATA_CONFLICT'
  // The changes made here are made again, in what is stored now.
  const rebase = async () => {
    const now = await queryClient.fetchQuery({ queryKey, queryFn, staleTime: 0 })
    form.set(Object.fromEntries(parts.map((part) => [part, rebased(part, form.values[part], now, json)])))
    form.reset()
  }
  return { form, isConflict, rebase }
}

interface EditorProps extends Props {
  readonly stored: Stored
}

function Editor(props: EditorProps) {
  const { person, common } = useTexts()
  const { form, isConflict, rebase } = useEditor(props)
  return (
    <FormCard
      form={isConflict ? { ...form, failure: null } : form}
      title={person.data}
      lead={person.dataLead}
      submit={common.save}
    >
      {parts.map((part) => {
        const { value, onChange, ...field } = form.field(part)
        return (
          <CodeField
            key={part}
            {...field}
            label={person.dataParts[part]}
            value={value.text}
            onChange={(text) => onChange({ ...value, text })}
          />
        )
      })}
      {isConflict && <Conflict title={person.dataConflict} onReload={rebase} />}
    </FormCard>
  )
}

function rebased(part: Part, typed: Edited, now: Stored, words: Texts['json']): Edited {
  const { of, version } = { of: now[part], version: now.version }
  const change = z.safeParse(changeIn(words), typed)
  return { text: change.success ? asText(patched(of, change.data.patch)) : typed.text, of, version }
}
