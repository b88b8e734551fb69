/** Operations that the server is still to declare. */
export interface Expected {
  '/api/get_credit_summary': { input: object; output: { balance: number } }
  '/api/bind_beta_code': { input: { beta_code: string }; output: object }
  '/api/export_account': { input: object; output: object }
}
