import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import type { ActOptions } from '../../server/act.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import type { Question } from '../../ui/dialogs/dialog-button.tsx'
import { FormAct } from '../../ui/dialogs/form-act.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'

interface Stored {
  readonly name: string
  readonly slug: string
  readonly logo: string | null
}

/** What was changed, as the routes take it. */
interface Sent {
  readonly name: string
  readonly slug?: string
  readonly logo?: string | null
}

interface Props extends Pick<Question, 'size'>, Pick<ActOptions<Sent, unknown>, 'refreshes'> {
  /** Undefined for a new one. */
  readonly of?: Stored | undefined
  /** For somebody who does not become its owner. */
  readonly text?: string
  readonly draft: string
  readonly asks?: string
  act(sent: Sent): Promise<unknown>
  onDone?(): unknown
  /** More fields of the caller’s own. */
  readonly children?: ReactNode
}

/** Makes an organisation, or changes name, slug and logo of one. */
export function OrganizationForm({ of, act, text, children, ...question }: Props) {
  const { organizations, common } = useTexts()
  const { create, createText, created, edit, editText, editTitle } = organizations
  const { name, slug, logo } = of ?? { name: '', slug: '', logo: null }
  const slugShape = of ? /^[a-z0-9][a-z0-9-]{0,46}[a-z0-9]$/ : /^(?:[a-z0-9][a-z0-9-]{0,46}[a-z0-9])?$/
  return (
    <FormAct
      {...question}
      look={of ? 'quiet' : 'primary'}
      label={of ? edit : create}
      title={of ? <SentenceWith sentence={editTitle} words={name} /> : create}
      text={text ?? (of ? editText : createText)}
      action={of ? edit : create}
      done={of ? common.saved : created}
      schema={z.object({
        name: z.string().check(z.trim(), z.minLength(1, organizations.nameProblem)),
        slug: z.string().check(z.trim(), z.regex(slugShape, organizations.slugProblem)),
        logo: z.string().check(z.trim()),
      })}
      initial={{ name, slug, logo: logo ?? '' }}
      invalid={{
        name: organizations.nameProblem,
        slug: organizations.slugProblem,
        logo: organizations.logoProblem,
      }}
      refusals={{ ORGANIZATION_ALREADY_EXISTS: ['slug'], ORGANIZATION_SLUG_ALREADY_TAKEN: ['slug'] }}
      act={(sent) =>
        act({ name: sent.name, ...(sent.slug && { slug: sent.slug }), ...(of && { logo: sent.logo || null }) })
      }
    >
      {(form) => (
        <>
          <TextField {...form.field('name')} label={organizations.name} autoComplete="off" maxLength={100} autoFocus />
          <TextField
            {...form.field('slug')}
            label={organizations.slug}
            hint={of ? undefined : organizations.slugHint}
            autoComplete="off"
            spellCheck={false}
            maxLength={48}
          />
          {of && <TextField {...form.field('logo')} label={organizations.logo} type="url" placeholder="https://" />}
          {children}
        </>
      )}
    </FormAct>
  )
}
