import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useUnsaved } from '../../../forms/unsaved.tsx'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { consoleKeys } from '../queries.ts'
import type { Application } from './application.ts'
import type { Created } from './credentials.tsx'

interface Props {
  /** Undefined for a new one. */
  readonly application: Application | undefined
  onDone(created: Created | undefined): void
}

/** Lists have one entry per line. */
const linesOf = (text: string) => text.split(/\s+/).filter((line) => line !== '')

export function ApplicationEditor({ application, onDone }: Props) {
  const { applications, common } = useTexts()
  const { form, save } = useEditor({ application, onDone })
  const { kind } = form.values
  const isService = kind === 'service'
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField {...form.field('name')} label={applications.name} hint={applications.nameHint} />
      {!application && (
        <Select
          {...form.field('kind')}
          onChange={(chosen) => form.set({ kind: chosen, id_token_algorithm: usualAlgorithm(chosen) })}
          label={applications.kind}
          hint={applications.kindHints[kind]}
          options={applications.kinds}
        />
      )}
      {!isService && <Addresses form={form} />}
      <TextField
        {...form.field('scopes')}
        label={applications.scopes}
        hint={isService ? applications.serviceScopesHint : applications.scopesHint}
        rows={3}
        mono
      />
      {!isService && (
        <>
          <TextField {...form.field('logo_url')} label={applications.logo} type="url" />
          <TextField {...form.field('home_url')} label={applications.home} type="url" />
          <Select
            {...form.field('id_token_algorithm')}
            label={applications.algorithm}
            hint={applications.algorithmHint}
            options={{ EdDSA: 'EdDSA', RS256: 'RS256' }}
          />
        </>
      )}
      {kind === 'web' && (
        <Switch {...form.toggle('require_pkce')} label={applications.pkce} hint={applications.pkceHint} />
      )}
      {(kind === 'web' || kind === 'browser') && (
        <Switch {...form.toggle('skip_consent')} label={applications.skip} hint={applications.skipHint} />
      )}
      <TextField
        {...form.field('resource')}
        label={applications.resource}
        hint={applications.resourceHint}
        type="url"
      />
      <Failure error={form.failure} />
      <div className="flex justify-end">
        <Button type="submit" look="primary" isPending={save.isPending}>
          {application ? common.save : applications.register}
        </Button>
      </div>
    </form>
  )
}

type Form = ReturnType<typeof useEditor>['form']

function Addresses({ form }: { readonly form: Form }) {
  const { applications } = useTexts()
  return (
    <>
      <TextField
        {...form.field('redirect_uris')}
        label={applications.redirects}
        hint={applications.redirectsHint}
        rows={3}
        mono
      />
      <TextField
        {...form.field('post_logout_redirect_uris')}
        label={applications.logoutRedirects}
        rows={2}
        mono
      />
      <TextField
        {...form.field('backchannel_logout_uri')}
        label={applications.backchannel}
        hint={applications.backchannelHint}
        type="url"
      />
    </>
  )
}

function useEditor({ application, onDone }: Props) {
  const texts = useTexts()
  const initial = initialOf(application)
  const save = useAct({
    act: async (values: typeof initial): Promise<Created | undefined> => {
      const fields = fieldsToSend(values)
      if (!application) return call('/api/admin/create_application', { ...fields, kind: values.kind })
      await call('/api/admin/update_application', { ...fields, id: application.id })
      return undefined
    },
    done: texts.applications.saved,
    refreshes: [consoleKeys.applications],
    onDone: (created) => {
      form.clear()
      markAsSaved()
      onDone(created)
    },
  })
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
    }),
    initial,
    error: save.error,
    invalid: texts.applications.problems,
    draft: `application:${application?.id ?? 'new'}`,
    isEdit: application !== undefined,
    onSend: (values) => save.mutate(values),
  })
  const markAsSaved = useUnsaved(form)
  return { form, save }
}

function initialOf(application: Application | undefined) {
  const kind: Application['kind'] = application?.kind ?? 'web'
  return {
    name: application?.name ?? '',
    kind,
    redirect_uris: application?.redirect_uris.join('\n') ?? '',
    post_logout_redirect_uris: application?.post_logout_redirect_uris.join('\n') ?? '',
    scopes: (application?.scopes ?? ['openid', 'profile', 'email']).join('\n'),
    logo_url: application?.logo_url ?? '',
    home_url: application?.home_url ?? '',
    resource: application?.resource ?? '',
    skip_consent: application?.skip_consent ?? false,
    id_token_algorithm: application?.id_token_algorithm ?? usualAlgorithm(kind),
    require_pkce: application?.require_pkce ?? true,
    backchannel_logout_uri: application?.backchannel_logout_uri ?? '',
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
  }
}
