// Answers the hooks of Gatehouse. npm install express standardwebhooks; HOOK_SECRET=whsec_… node express.mjs
import express from 'express'
import { Webhook } from 'standardwebhooks'

const { HOOK_SECRET, PORT = '8080' } = process.env
const webhook = new Webhook(HOOK_SECRET)
const app = express()

app.post('/hook', express.text({ type: '*/*' }), (request, response) => {
  let asked
  try {
    asked = webhook.verify(request.body, request.headers)
  } catch {
    return response.sendStatus(401)
  }
  const { type, user } = asked
  if (user.email.endsWith('@blocked.example'))
    return response.json({ allow: false, message: 'Ask your company first.' })
  if (type === 'before_sign_up') return response.json({ allow: true, data: { public: { plan: 'free' } } })
  if (type === 'before_token') return response.json({ allow: true, claims: { plan: user.public.plan } })
  return response.json({ allow: true })
})

app.listen(Number(PORT), () => console.log(`listening on ${PORT}`))
