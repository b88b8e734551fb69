// In an app of create-next-app: npm install ./gatehouse-<version>.tgz; npx next dev --port 8080
// Add http://localhost:8080 to "Allowed return origins" in the console's brand settings.
import { FeedbackButton, GatehouseProvider, NotificationBell, UserButton } from 'gatehouse/react'
import type { ReactNode } from 'react'

const { GATEHOUSE = 'http://localhost:5173' } = process.env

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <GatehouseProvider server={GATEHOUSE}>
          <header>
            <NotificationBell />
            <UserButton>
              <a slot="links" href="/billing">
                Billing
              </a>
            </UserButton>
            <FeedbackButton version="1.0" />
          </header>
          <main>{children}</main>
        </GatehouseProvider>
      </body>
    </html>
  )
}
