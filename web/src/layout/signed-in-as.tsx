import { useSignOut } from '../server/sign-out.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'

/** Stands below a page that a signed-in user cannot pass yet. */
export function SignedInAs({ email }: { readonly email: string }) {
  const { beta, nav } = useTexts()
  const signOut = useSignOut('/sign-in')
  return (
    <>
      {beta.signedInAs(email)}{' '}
      <Button look="plain" size="small" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
        {nav.signOut}
      </Button>
    </>
  )
}
