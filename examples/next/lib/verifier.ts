import { createVerifier } from 'gatehouse/server'

const { GATEHOUSE = 'http://localhost:5173', CLIENT_ID, CLIENT_SECRET } = process.env

// One per process: it remembers callers and follows what is revoked.
export const verifier = createVerifier({
  issuer: GATEHOUSE,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
})
