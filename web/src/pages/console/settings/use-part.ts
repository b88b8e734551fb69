import { useQueryClient } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { ApiError, call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { type DocumentOf, type Part, partQuery, type UpdateOf } from '../queries.ts'
import { problemsOf } from './part-fields.ts'

/** Only what has been changed; nothing is ever changed to undefined. */
type ChangesOf<P extends Part> = {
  [K in Exclude<keyof UpdateOf<P>, 'expected_version'>]?: Exclude<UpdateOf<P>[K], undefined>
}

interface Options<P extends Part, Values, Sent> {
  readonly part: P
  readonly document: DocumentOf<P>
  /** The name under which unsaved changes are kept. */
  readonly page: string
  readonly initial: Values
  readonly schema: z.ZodMiniType<Sent, Values>
  /** Secrets and files. */
  readonly secrets?: readonly (keyof Values & string)[]
  onSaved?(saved: DocumentOf<P>): unknown
}

/**
 * The form of one part of the settings. It sends only what was changed. A save that comes after another one keeps
 * the changes, so that they can be reviewed beside the newer version and saved again.
 */
export function usePart<P extends Part, Values extends object, Sent extends ChangesOf<P>>(
  options: Options<P, Values, Sent>,
) {
  const { part, document, page, initial, schema, secrets = [] } = options
  const { config } = useTexts()
  const wordsFor = (paths: readonly string[]) => problemsOf(config.problems, paths)
  const queryClient = useQueryClient()
  const { queryKey } = partQuery(part)
  const save = useAct({
    act: (update: UpdateOf<P>) => call(`/api/admin/update_${part}_config` as const, update),
    done: config.saved,
    onDone: async (saved) => {
      queryClient.setQueryData(queryKey, saved)
      form.clear()
      options.onSaved?.(saved)
      await queryClient.invalidateQueries({ queryKey: ['client-config'] })
    },
  })
  const form = useForm({
    ...{ initial, schema, secrets },
    draft: `settings:${page}`,
    isEdit: true,
    error: save.error,
    invalid: wordsFor(Object.keys(initial)),
    onSend: (sent) => save.mutate(updateOf<P>(sent, form.changed, document.version)),
  })

  return {
    form,
    save,
    /** Why the part cannot be saved, if the field in question is on another page. */
    elsewhere: Object.values(wordsFor(pathsOf(save.error))).join(' '),
    isConflict: save.error instanceof ApiError && save.error.code === 'CONFIG_CONFLICT',
    /** Takes over what someone else saved; the changes made here stay on top. */
    reload: async () => {
      await queryClient.invalidateQueries({ queryKey })
      save.reset()
    },
    discard: () => {
      save.reset()
      form.clear()
    },
  }
}

const pathsOf = (error: Error | null) =>
  error instanceof ApiError ? error.issues.map(({ path }) => path) : []

/** The compiler cannot check the fields of an update while the part is a type parameter. */
function updateOf<P extends Part>(
  sent: ChangesOf<P>,
  changed: readonly string[],
  expected_version: number,
): UpdateOf<P> {
  const changes = Object.entries(sent).filter(([name]) => changed.includes(name))
  return { ...Object.fromEntries(changes), expected_version } as UpdateOf<P>
}
