import * as z from 'zod/mini'
import { fieldWords } from '../../../forms/field-words.ts'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Form } from '../../../ui/form.tsx'
import { consoleKeys } from '../queries.ts'
import type { Application } from './application.ts'
import type { Created } from './credentials.tsx'

interface Props {
  /** Undefined for a new application. */
  readonly application: Application | undefined
  /** The first values in the form of a new application. */
  readonly suggested?: Suggested
  onDone(created: Created | undefined): void
}

interface Suggested extends Pick<Application, 'name' | 'kind'> {
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly string[]
}

/** Lists have one entry per line. */
const linesOf = (text: string) => text.split(/\s+/).filter((line) => line !== '')

export function ApplicationEditor({ application, suggested, onDone }: Props) {
  const { applications, common } = useTexts()
  const { form, field } = useEditor({ application, ...(suggested && { suggested }), onDone })
  const { kind } = form.values
  const isService = kind === 'service'
  const submit = application ? common.save : applications.register
  return (
    <Form form={form} className="gap-4" place="end" submit={submit}>
      <TextField {...field('name')} />
      {!application && (
        <Select
          {...field('kind')}
          onChange={(chosen) => form.set({ kind: chosen, id_token_algorithm: usualAlgorithm(chosen) })}
          hint={applications.kindHints[kind]}
          options={applications.kinds}
        />
      )}
      {!isService && (
        <>
          <TextField {...field('redirect_uris')} rows={3} mono />
          <TextField {...field('post_logout_redirect_uris')} rows={2} mono />
          <TextField {...field('backchannel_logout_uri')} type="url" />
        </>
      )}
      <TextField {...field('scopes')} {...(isService && { hint: applications.serviceScopesHint })} rows={3} mono />
      {!isService && (
        <>
          <TextField {...field('logo_url')} type="url" />
          <TextField {...field('home_url')} type="url" />
          <Select {...field('id_token_algorithm')} options={{ EdDSA: 'EdDSA', RS256: 'RS256' }} />
        </>
      )}
      {kind === 'web' && <Switch {...field('require_pkce')} />}
      {(kind === 'web' || kind === 'browser') && <Switch {...field('skip_consent')} />}
      <TextField {...field('resource')} type="url" />
      {!application?.key && <TextField {...field('key')} mono />}
    </Form>
  )
}

function useEditor({ application, suggested, onDone }: Props) {
  const texts = useTexts()
  const form = useForm({
    schema: z.object({
      name: fieldsOf(texts).required,
      kind: z.enum(['web', 'browser', 'native', 'service']),
      redirect_uris: z.string(),
      post_logout_redirect_uris: z.string(),
      scopes: z.string(),
      logo_url: z.string(),
      home_url: z.string(),
      resource: z.string(),
      skip_consent: z.boolean(),
      id_token_algorithm: z.enum(['EdDSA', 'RS256']),
      require_pkce: z.boolean(),
      backchannel_logout_uri: z.string(),
      key: z.string(),
    }),
    initial: initialOf(application, suggested),
    invalid: texts.applications.problems,
    draft: `application:${application?.id ?? (suggested ? 'suggested' : 'new')}`,
    isEdit: application !== undefined,
    clears: true,
    asksToLeave: true,
    act: async (values): Promise<Created | undefined> => {
      const fields = fieldsToSend(values)
      if (!application) return call('/api/admin/create_application', { ...fields, kind: values.kind })
      await call('/api/admin/update_application', { ...fields, id: application.id })
      return undefined
    },
    done: texts.common.saved,
    refreshes: [consoleKeys.applications],
    onDone,
  })
  const field = <Name extends keyof typeof form.values>(name: Name) => ({
    ...form.field(name),
    ...fieldWords(texts.applications, name),
  })
  return { form, field }
}

function initialOf(application: Application | undefined, suggested: Suggested | undefined) {
  const begin = application ?? suggested
  const kind: Application['kind'] = begin?.kind ?? 'web'
  return {
    name: begin?.name ?? '',
    kind,
    redirect_uris: begin?.redirect_uris.join('\n') ?? '',
    post_logout_redirect_uris: application?.post_logout_redirect_uris.join('\n') ?? '',
    scopes: (begin?.scopes ?? ['openid', 'profile', 'email']).join('\n'),
    logo_url: application?.logo_url ?? '',
    home_url: application?.home_url ?? '',
    resource: application?.resource ?? '',
    skip_consent: application?.skip_consent ?? false,
    id_token_algorithm: application?.id_token_algorithm ?? usualAlgorithm(kind),
    require_pkce: application?.require_pkce ?? true,
    backchannel_logout_uri: application?.backchannel_logout_uri ?? '',
    key: '',
  }
}

/** Many servers verify nothing but RS256. */
function usualAlgorithm(kind: Application['kind']): Application['id_token_algorithm'] {
  return kind === 'web' ? 'RS256' : 'EdDSA'
}

function fieldsToSend(values: ReturnType<typeof initialOf>) {
  const { name, kind, logo_url, home_url, resource, skip_consent, id_token_algorithm, require_pkce } = values
  const isService = kind === 'service'
  const canSkip = kind === 'web' || kind === 'browser'
  return {
    name,
    scopes: linesOf(values.scopes).filter((scope) => !(isService && !scope.includes(':'))),
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
