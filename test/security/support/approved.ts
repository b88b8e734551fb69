import { CALLBACK, codeFor, type Registered, tokenRequest } from '../../service/applications.ts'
import { approvedCode, decideDevice, poll, redeem, startDevice, type TokenAnswer } from '../../service/grants.ts'
import type { Answer, Person } from '../../service/people.ts'

type Redeeming = () => Promise<Answer<TokenAnswer>>

/** A code of an application, a code of the command-line client, and a device: approved, and not yet redeemed. */
export async function approvedInEachWay(person: Person, shop: Registered): Promise<readonly Redeeming[]> {
  const ofShop = await codeFor(person, shop)
  const ofTool = await approvedCode(person, ['account:profile:read'])
  const device = (await startDevice(person, 'account:profile:read')).body
  await decideDevice(person, device.user_code, true)
  const form = { code: ofShop.code, redirect_uri: CALLBACK, code_verifier: ofShop.verifier }
  return [
    () => tokenRequest(person, shop, { grant_type: 'authorization_code', ...form }),
    () => redeem(person, ofTool.code, ofTool.verifier),
    () => poll(person, device.device_code),
  ]
}

export async function inTurn(redeemings: readonly Redeeming[]): Promise<readonly Answer<TokenAnswer>[]> {
  const answers = []
  for (const redeeming of redeemings) answers.push(await redeeming())
  return answers
}
