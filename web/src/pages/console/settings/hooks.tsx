import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { asText, jsonObject, lineOf } from '../../../forms/json-text.ts'
import { useAct } from '../../../server/act.ts'
import { call, type Input, type Output } from '../../../server/api.ts'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { CodeField } from '../../../ui/controls/code-field.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { type Hook, hookAnswersQuery, hooks } from '../queries.ts'
import { failureWords } from '../webhooks/failure-words.ts'
import { Secret } from '../webhooks/secret.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { type Kind, toggle, url, wholeNumber } from './part-fields.tsx'
import { PartForm } from './part-form.tsx'
import { usePart } from './use-part.tsx'

export function HookSettings() {
  const { config } = useTexts()
  return (
    <StoredPart part="hooks">
      {(document) => (
        <div className="flex flex-col gap-6">
          {hooks.map((hook) => (
            <HookForm key={hook} hook={hook} document={document} />
          ))}
          <ClaimsForm document={document} />
          <PartForm
            {...{ part: 'hooks', document, page: 'own-data', fields: ownData }}
            title={config.ownData}
            lead={config.ownDataLead}
          />
        </div>
      )}
    </StoredPart>
  )
}

const ownData = { own_data_shown: toggle }

type OnFailure = Stored<'hooks'>['document'][Hook]['on_failure']

/** Nothing is chosen until somebody chooses. */
const onFailure: Kind<OnFailure, NonNullable<OnFailure> | '', OnFailure> = {
  initialOf: (stored) => stored ?? '',
  schemaOf: () =>
    z.pipe(
      z.enum(['', 'refuse', 'allow']),
      z.transform((chosen) => chosen || null),
    ),
  draw: (props, { onFailures }) => <Select {...props} options={onFailures} />,
}

const longestTimeout = 3_000
const fields = { enabled: toggle, url, timeout_ms: wholeNumber(longestTimeout), on_failure: onFailure }

function HookForm({ hook, document }: Stored<'hooks'> & { readonly hook: Hook }) {
  const { config } = useTexts()
  const part = usePart({ part: 'hooks', document, page: hook, fields, within: hook })
  const [enabled, address, ...limits] = part.controls
  const isUsed = part.form.values.enabled || part.form.values.url !== ''
  return (
    <>
      <PartCard title={config.fields[hook]} lead={config.hookLeads[hook]} part={part}>
        {enabled}
        {isUsed && address}
        {isUsed && <div className="grid gap-5 sm:grid-cols-2">{limits}</div>}
      </PartCard>
      {document[hook].url && <Answers hook={hook} />}
    </>
  )
}

/** What the hook answered last, a try, and a new secret. */
function Answers({ hook }: { readonly hook: Hook }) {
  const { config, webhooks } = useTexts()
  const list = useQuery(hookAnswersQuery(hook))
  const [secret, setSecret] = useState<string>()
  const trial = useAct({ act: () => call('/api/admin/try_hook', { hook }) })
  return (
    <Card title={config.hookAnswers(config.fields[hook])} lead={config.hookAnswersLead} isSplit>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            isPending={trial.isPending}
            aria-label={`${config.hookTry}: ${config.fields[hook]}`}
            onPress={() => trial.mutate()}
          >
            {config.hookTry}
          </Button>
          <ConfirmedAct
            size="small"
            look="quiet"
            label={webhooks.rotate}
            name={`${webhooks.rotate}: ${config.fields[hook]}`}
            title={webhooks.rotateTitle}
            text={webhooks.rotateText}
            act={async () => setSecret((await call('/api/admin/rotate_hook_secret', { hook })).secret)}
          />
        </div>
        <Failure error={trial.error} />
        {trial.data && (
          <Notice look={trial.data.outcome === 'failed' ? 'warning' : 'done'} title={config.hookTried}>
            <Answer of={trial.data} />
            {trial.data.answer && (
              <code className="mt-1 block whitespace-pre-wrap text-tiny">
                <PersonText>{trial.data.answer}</PersonText>
              </code>
            )}
          </Notice>
        )}
        {secret && <Secret secret={secret} />}
        <Loaded query={list}>
          {({ items }) => (
            <Rows
              items={items}
              none={config.hookAnswersNone}
              keyOf={({ id }) => id}
              className="flex flex-wrap justify-between gap-x-4 py-2"
            >
              {(item) => (
                <>
                  <Answer of={item} />
                  <span className="text-ink-soft text-small">
                    <Time at={item.at} />
                  </span>
                </>
              )}
            </Rows>
          )}
        </Loaded>
      </div>
    </Card>
  )
}

const outcomeLooks = { allowed: 'accent', refused: 'plain', failed: 'warning' } as const

type Answered = Output<'/api/admin/list_hook_answers'>['items'][number]

function Answer({ of: { outcome, status, error, milliseconds } }: { readonly of: Answered }) {
  const { config, webhooks } = useTexts()
  const why = error && (ownWords(config, error) ?? failureWords(webhooks, { error, answer_code: status }))
  return (
    <span className="wrap-anywhere min-w-0">
      <Badge look={outcomeLooks[outcome]}>{config.hookOutcomes[outcome]}</Badge> {why ?? status}{' '}
      <span className="text-ink-soft">{config.inMilliseconds(milliseconds)}</span>
    </span>
  )
}

/** Failures that deliveries do not have. */
function ownWords({ hookFailures }: Texts['config'], error: string): string | undefined {
  return error in hookFailures ? hookFailures[error as keyof typeof hookFailures] : undefined
}

type Claims = NonNullable<Input<'/api/admin/update_hooks_config'>['claims']>

/** The names and sources are checked where they are saved. */
const claimsOf = (words: Texts['json']): Kind<Claims, string, Claims> => ({
  initialOf: asText,
  schemaOf: () => jsonObject(words) as unknown as z.ZodMiniType<Claims, string>,
  draw: (props) => <CodeField {...props} placeholder={'{\n  "plan": "user.public.plan"\n}'} />,
})

function ClaimsForm({ document }: Stored<'hooks'>) {
  const { config, json } = useTexts()
  const part = usePart({
    part: 'hooks',
    document,
    page: 'claims',
    fields: { claims: claimsOf(json) },
    invalid: { claims: (path, typed) => config.claimRefused(lineOf(String(typed), path)) },
  })
  const typed = z.safeParse(jsonObject(json), part.form.values.claims)
  const shown = useAct({ act: (claims: Claims) => call('/api/admin/preview_token', { claims }) })
  return (
    <PartCard title={config.fields.claims} lead={config.claimsLead} part={part}>
      {part.controls}
      <div>
        <Button
          size="small"
          isPending={shown.isPending}
          onPress={() => (typed.success ? shown.mutate(typed.data as Claims) : part.form.send())}
        >
          {config.claimsShow}
        </Button>
      </div>
      <Failure error={shown.error} />
      {shown.data && (
        <Notice look="info" title={config.claimsShown}>
          <pre className="overflow-x-auto text-tiny">{asText(shown.data.claims)}</pre>
        </Notice>
      )}
    </PartCard>
  )
}
