import { registerHooks } from 'node:module'

// openapi-typescript builds its output with the compiler's API, which TypeScript 7 no longer has.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
})

/** The types of a client, as `openapi-typescript` generates them. */
export async function typesOf(description: object): Promise<string> {
  const { default: openapiTypes, astToString } = await import('openapi-typescript')
  return astToString(await openapiTypes(JSON.stringify(description)))
}
