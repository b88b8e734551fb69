import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useForm } from '../../forms/form.ts'
import { changeIn, type Edited, editedOf, type JsonObject, lineOf } from '../../forms/json-text.ts'
import { call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CodeField } from '../../ui/controls/code-field.tsx'
import { FormCard } from '../../ui/form.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'

type Stored = Output<'/api/get_data'>

/** What the user tells the product, where the settings show it. */
export function OwnData() {
  return (
    <StoredData
      queryKey={['own-data']}
      queryFn={() => call('/api/get_data', {})}
      draft="own-data"
      save={(own) => call('/api/update_data', { own })}
    />
  )
}

interface Props {
  readonly queryKey: QueryKey
  readonly draft: string
  queryFn(): Promise<Stored>
  save(patch: JsonObject): Promise<Stored>
}

/** Of a user, or of an organisation. */
export function StoredData({ queryFn, ...editing }: Props) {
  const query = useQuery({ queryKey: editing.queryKey, queryFn })
  return <Loaded<Stored> query={query}>{(stored) => <Editor {...editing} stored={stored} />}</Loaded>
}

function Editor({ stored, draft, queryKey, save }: Omit<Props, 'queryFn'> & { readonly stored: Stored }) {
  const { data: texts, common, json } = useTexts()
  const queryClient = useQueryClient()
  const form = useForm({
    schema: z.object({ own: changeIn(json) }),
    initial: { own: editedOf(stored.own, stored.version) },
    invalid: { own: (path, typed) => json.refused(lineOf((typed as Edited).text, path)) },
    draft,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    act: ({ own }) => save(own.patch),
    done: texts.ownSaved,
    onDone: (saved) => queryClient.setQueryData(queryKey, saved),
  })
  const { value, onChange, ...field } = form.field('own')
  return (
    <FormCard form={form} title={texts.ownTitle} lead={texts.ownLead} submit={common.save}>
      <CodeField
        {...field}
        label={texts.ownLabel}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
      />
    </FormCard>
  )
}
