import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { fieldWords } from '../../../forms/field-words.ts'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useNavigateNext } from '../../../routing/router.tsx'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { say } from '../../../toasts.ts'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Form, FormCard } from '../../../ui/form.tsx'
import { type Application, consoleKeys } from '../queries.ts'
import { keepSecret } from './fresh-secret.ts'
import { type PurposeName, purposes } from './purposes.ts'
import { canHave, ScopesField } from './scopes-field.tsx'

/** Registers an application and leads to its page, which shows the secret. */
export function NewApplication({ purpose }: { readonly purpose: PurposeName }) {
  const { applications, connecting } = useTexts()
  const navigate = useNavigateNext()
  const { kind, redirect_uris, scopes, example } = purposes[purpose]
  const editor = useEditor({
    initial: {
      ...empty,
      ...{ name: purpose === 'assistant' ? connecting.assistantName : '', kind, scopes: [...scopes] },
      ...{ redirect_uris: redirect_uris.join('\n'), id_token_algorithm: usualAlgorithm(kind) },
    },
    draft: `application:new:${purpose}`,
    act: (values) => call('/api/admin/create_application', { ...fieldsToSend(values), kind: values.kind }),
    onDone: ({ id, client_secret }) => {
      keepSecret(id, client_secret)
      say(applications.idTitle, { isForNextPage: true })
      navigate(`/console/applications/${id}?${new URLSearchParams({ for: purpose })}`)
    },
  })
  return (
    <Form form={editor.form} className="max-w-2xl gap-5" place="start" submit={applications.register}>
      <Fields editor={editor} example={example} isKindOpen={purpose === 'other'} hasKey />
    </Form>
  )
}

/** The settings of an application that there is. */
export function ApplicationSettings({ application }: { readonly application: Application }) {
  const { applications, common } = useTexts()
  const { id, key, redirect_uris, post_logout_redirect_uris } = application
  const { logo_url, home_url, resource, backchannel_logout_uri } = application
  const editor = useEditor({
    initial: {
      ...empty,
      ...{ name: application.name, kind: application.kind, scopes: application.scopes },
      redirect_uris: redirect_uris.join('\n'),
      post_logout_redirect_uris: post_logout_redirect_uris.join('\n'),
      ...{ logo_url: logo_url ?? '', home_url: home_url ?? '', resource: resource ?? '' },
      backchannel_logout_uri: backchannel_logout_uri ?? '',
      skip_consent: application.skip_consent,
      id_token_algorithm: application.id_token_algorithm,
      require_pkce: application.require_pkce,
    },
    draft: `application:${id}`,
    isEdit: true,
    act: (values) => call('/api/admin/update_application', { ...fieldsToSend(values), id }),
    done: common.saved,
  })
  return (
    <FormCard
      form={editor.form}
      title={applications.settings}
      lead={applications.kindHints[application.kind]}
      submit={common.save}
    >
      <Fields editor={editor} hasKey={key === null} />
    </FormCard>
  )
}

const empty: Values = {
  name: '',
  kind: 'web',
  redirect_uris: '',
  scopes: [],
  post_logout_redirect_uris: '',
  logo_url: '',
  home_url: '',
  resource: '',
  skip_consent: false,
  id_token_algorithm: 'RS256',
  require_pkce: true,
  backchannel_logout_uri: '',
  key: '',
}

interface Values {
  name: string
  kind: Application['kind']
  redirect_uris: string
  scopes: string[]
  post_logout_redirect_uris: string
  logo_url: string
  home_url: string
  resource: string
  skip_consent: boolean
  id_token_algorithm: Application['id_token_algorithm']
  require_pkce: boolean
  backchannel_logout_uri: string
  key: string
}

interface Editing<Got> {
  readonly initial: Values
  readonly draft: string
  readonly isEdit?: boolean
  readonly done?: string
  act(values: Values): Promise<Got>
  onDone?(got: Got): void
}

function useEditor<Got>(editing: Editing<Got>) {
  const texts = useTexts()
  const form = useForm({
    schema: z.object({
      name: fieldsOf(texts).required,
      kind: z.enum(['web', 'browser', 'native', 'service']),
      redirect_uris: z.string(),
      scopes: z.array(z.string()),
      post_logout_redirect_uris: z.string(),
      logo_url: z.string(),
      home_url: z.string(),
      resource: z.string(),
      skip_consent: z.boolean(),
      id_token_algorithm: z.enum(['EdDSA', 'RS256']),
      require_pkce: z.boolean(),
      backchannel_logout_uri: z.string(),
      key: z.string(),
    }),
    invalid: texts.applications.problems,
    clears: true,
    asksToLeave: true,
    refreshes: [consoleKeys.applications],
    ...editing,
  })
  const field = <Name extends keyof Values>(name: Name) => ({
    ...form.field(name),
    ...fieldWords(texts.applications, name),
  })
  return { form, field }
}

interface FieldsProps {
  readonly editor: Pick<ReturnType<typeof useEditor>, 'field'> & {
    readonly form: Pick<ReturnType<typeof useEditor>['form'], 'values' | 'set'>
  }
  /** A redirect URI of the usual form. */
  readonly example?: string
  readonly isKindOpen?: boolean
  readonly hasKey: boolean
}

/** Three fields, and behind a fold what few applications need. */
function Fields({ editor: { form, field }, example, isKindOpen = false, hasKey }: FieldsProps) {
  const { applications } = useTexts()
  const { kind } = form.values
  const isService = kind === 'service'
  return (
    <>
      <TextField {...field('name')} {...(isService && { hint: undefined })} />
      {isKindOpen && (
        <Select
          {...field('kind')}
          onChange={(chosen) => form.set({ kind: chosen, id_token_algorithm: usualAlgorithm(chosen) })}
          hint={applications.kindHints[kind]}
          options={applications.kinds}
        />
      )}
      {isService ? (
        <TextField {...field('resource')} type="url" />
      ) : (
        <TextField {...field('redirect_uris')} {...(example && { placeholder: example })} rows={3} mono />
      )}
      <ScopesField {...field('scopes')} kind={kind} {...(isService && { hint: applications.serviceScopesHint })} />
      <Advanced isNeeded={ADVANCED.some((name) => field(name).problem !== undefined)}>
        {!isService && (
          <>
            <TextField {...field('post_logout_redirect_uris')} rows={2} mono />
            <TextField {...field('backchannel_logout_uri')} type="url" />
            <TextField {...field('logo_url')} type="url" />
            <TextField {...field('home_url')} type="url" />
            <TextField {...field('resource')} type="url" />
            <Select {...field('id_token_algorithm')} options={{ EdDSA: 'EdDSA', RS256: 'RS256' }} />
          </>
        )}
        {kind === 'web' && <Switch {...field('require_pkce')} />}
        {(kind === 'web' || kind === 'browser') && <Switch {...field('skip_consent')} />}
        {hasKey && <TextField {...field('key')} mono />}
      </Advanced>
    </>
  )
}

const ADVANCED = [
  ...(['post_logout_redirect_uris', 'backchannel_logout_uri', 'logo_url', 'home_url', 'resource'] as const),
  ...(['id_token_algorithm', 'require_pkce', 'skip_consent', 'key'] as const),
] as const

/** Opens by itself if something in it is wrong: a field that is folded away cannot take the focus. */
function Advanced({ isNeeded, children }: { readonly isNeeded: boolean; readonly children: ReactNode }) {
  const { applications } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      open={isOpen || isNeeded}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded-md border border-line"
    >
      <summary className="touch cursor-pointer rounded-md px-4 py-2.5 font-medium text-small">
        {applications.advanced}
      </summary>
      <div className="flex flex-col gap-5 border-line border-t p-4">{children}</div>
    </details>
  )
}

/** Many servers verify nothing but RS256. */
function usualAlgorithm(kind: Application['kind']): Application['id_token_algorithm'] {
  return kind === 'web' ? 'RS256' : 'EdDSA'
}

/** Lists have one entry per line. */
const linesOf = (text: string) => text.split(/\s+/).filter((line) => line !== '')

function fieldsToSend(values: Values) {
  const { name, kind, logo_url, home_url, resource, skip_consent, id_token_algorithm, require_pkce } = values
  const isService = kind === 'service'
  const canSkip = kind === 'web' || kind === 'browser'
  return {
    name,
    scopes: values.scopes.filter((scope) => canHave(kind, scope)),
    redirect_uris: isService ? [] : linesOf(values.redirect_uris),
    post_logout_redirect_uris: isService ? [] : linesOf(values.post_logout_redirect_uris),
    logo_url: logo_url || null,
    home_url: home_url || null,
    resource: resource || null,
    skip_consent: canSkip && skip_consent,
    id_token_algorithm,
    require_pkce: kind !== 'web' || require_pkce,
    backchannel_logout_uri: (!isService && values.backchannel_logout_uri) || null,
    ...(values.key !== '' && { key: values.key }),
  }
}
