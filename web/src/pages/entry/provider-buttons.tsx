import { type ReactNode, Suspense } from 'react'
import { useReturn } from '../../routing/return-path.ts'
import { useAct } from '../../server/act.ts'
import { type Provider, startProviderSignIn } from '../../server/auth.ts'
import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { latePart } from '../../ui/late.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { useProviderWords } from './provider-failure.tsx'

/** Only some installations have providers, so the pictures are loaded with the buttons. */
const { Part: ProviderMark } = latePart(async () => {
  const { ProviderMark: Mark } = await import('../../ui/facts/provider-mark.tsx').catch(() => noMark)
  return Mark
})

/** A button is complete without its picture. */
const noMark = { ProviderMark: () => null }

/** Every way in but the form below it. */
export function ProviderButtons({ children }: { readonly children?: ReactNode }) {
  const { common, signIn } = useTexts()
  const { providers } = useClientConfig()
  const back = useReturn()
  const start = useAct({
    act: (provider: Provider) =>
      startProviderSignIn(provider, {
        callbackURL: back.path,
        errorCallbackURL: back.via('/sign-in', { provider }),
      }),
    onDone: ({ url }) => location.assign(url),
  })
  const words = useProviderWords(start.variables ?? null)
  if (providers.length === 0 && !children) return null

  return (
    <>
      <div className="flex flex-col gap-2.5">
        {providers.map(({ id, name, preset }) => (
          <Button
            key={id}
            isPending={start.isPending && start.variables === id}
            onPress={() => start.mutate(id)}
            className="w-full"
          >
            <Suspense fallback={<span className="size-4.5" />}>
              <ProviderMark preset={preset} name={name} />
            </Suspense>
            {signIn.with(name)}
          </Button>
        ))}
        <Failure error={start.error} words={words} />
        {children}
      </div>
      <div className="flex items-center gap-3 text-tiny text-ink-soft before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {common.or}
      </div>
    </>
  )
}
