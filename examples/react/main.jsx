// npm install react react-dom vite @vitejs/plugin-react ./gatehouse-<version>.tgz; npx vite
// Add http://localhost:8080 to "Allowed return origins" in the console's brand settings.
import { FeedbackButton, GatehouseProvider, NotificationBell, UserButton } from 'gatehouse/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Product } from './product.jsx'

const server = import.meta.env.VITE_GATEHOUSE ?? 'http://localhost:5173'

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <GatehouseProvider server={server}>
      <header>
        <NotificationBell />
        <UserButton>
          <a slot="links" href="/billing">
            Billing
          </a>
        </UserButton>
        <FeedbackButton version="1.0" />
      </header>
      <main>
        <Product />
      </main>
    </GatehouseProvider>
  </StrictMode>,
)
