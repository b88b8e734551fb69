// npm install better-auth esbuild; npx esbuild page.mjs --bundle --format=esm --outfile=bundle.js
// The page's origin has to be in TRUSTED_ORIGINS, and a subdomain of the same site, for the cookie to be sent.
import { createAuthClient } from 'better-auth/client'

const auth = createAuthClient({ baseURL: 'http://localhost:5173' })
const [greeting, form, refusal, signOut] = ['greeting', 'sign-in', 'refusal', 'sign-out'].map((id) =>
  document.getElementById(id),
)

async function show() {
  const { data } = await auth.getSession()
  greeting.textContent = data ? `Hello, ${data.user.name}` : 'Hello, stranger'
  form.hidden = data !== null
  signOut.hidden = data === null
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(form))
  const { error } = await auth.signIn.email({ email, password })
  refusal.textContent = error ? error.message : ''
  await show()
})

signOut.addEventListener('click', async () => {
  await auth.signOut()
  await show()
})

await show()
